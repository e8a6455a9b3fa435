import { defineEntity, p } from '@mikro-orm/core'
import { numeric, safeInteger } from './columns.ts'

/** One row: the counts and sums over the whole index as of the last commit that changed any of them. */
export const IndexTotalsEntity = defineEntity({
  name: 'IndexTotals',
  tableName: 'index_totals',
  properties: {
    id: p.smallint().primary().autoincrement(false).default(1).check('id = 1'),
    countedAt: safeInteger(),
    tokens: p.integer(),
    bonding: p.integer(),
    completed: p.integer(),
    migrated: p.integer(),
    liquidityWeth: numeric(),
    tradesH24: safeInteger(),
    volumeH24: numeric(),
    tradersH24: safeInteger(),
  },
})
