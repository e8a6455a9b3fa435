import type { HolderDistribution } from '#domain/holderDistribution.ts'
import type { Launchpad } from '#domain/launchpad.ts'
import {
  addressShape as address,
  sequenceShape as count,
  decimalShape as decimal,
  integerShape as integer,
  percentShape as percent,
} from './resourceShapes.ts'
import { listOf, nullable, object, type Shape, string } from './shape.ts'

export const distributionShape: Shape<HolderDistribution> = object({
  token: address,
  holderCount: count,
  topTenPercent: percent,
  creatorPercent: percent,
  reservePercent: percent,
  sizes: listOf(object({ minPercent: percent, holders: count, percent })),
  asOfBlock: integer,
})

export const launchpadShape: Shape<Launchpad> = object({
  name: string,
  adapter: string,
  tokens: count,
  tokens24h: count,
  bonding: count,
  completed: count,
  migrated: count,
  volumeWeth24h: decimal,
  trades24h: count,
  graduationRate: nullable(percent),
})
