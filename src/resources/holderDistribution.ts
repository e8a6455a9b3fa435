import { z } from 'zod'
import { tokenParameter } from './parameters.ts'
import { defineResource } from './resource.ts'
import { addressText, count, integerText, percent } from './values.ts'
import type { Wire } from './wire.ts'

const holderDistributionSchema = z
  .object({
    token: addressText.describe('Address of the token.'),
    holderCount: count.describe('Number of addresses with a balance.'),
    topTenPercent: percent.describe('Share of the ten largest holders together, in percent.'),
    creatorPercent: percent.describe('Share of the account that launched the token, in percent.'),
    reservePercent: percent.describe(
      'Share of the pools, curves, lockers and burn addresses that hold at least 0.1 percent each, in percent.',
    ),
    sizes: z
      .array(
        z
          .object({
            minPercent: percent.describe(
              'A holder of this size has at least this share, in percent, and less than `minPercent` of the size before.',
            ),
            holders: count.describe('Number of holders of this size.'),
            percent: percent.describe('Share of these holders together, in percent.'),
          })
          .meta({ id: 'HolderSize', description: 'Holders of one size.' }),
      )
      .describe('Holders by size, the largest first. The last size is all other holders, with the rest of the supply.'),
    asOfBlock: integerText.describe('Number of the newest indexed block.'),
  })
  .meta({
    id: 'HolderDistribution',
    description:
      'How a token is spread over its holders, in percent of the total supply. Pools, curves, lockers and burn ' +
      'addresses count in `holderCount` and `reservePercent` only; those below 0.1 percent are in the last size ' +
      'instead.',
  })

export type HolderDistribution = Wire<typeof holderDistributionSchema>

export const distribution = defineResource({
  id: 'getHolderDistribution',
  tag: 'Tokens',
  path: '/api/tokens/:address/holders/distribution',
  summary: 'How a token is spread over its holders: the ten largest, the creator, and holders by size',
  parameters: z.object({ address: tokenParameter }),
  answer: holderDistributionSchema,
  cacheControl: 'revalidate',
  outdatedBy: 'tokenChange',
  problems: ['token_not_found', 'data_unavailable'],
})
