import { defineEntity } from '@mikro-orm/core'
import { column, sum } from './columns.ts'
import { tableOf } from './tableOf.ts'

const properties = {
  id: column.smallint().primary().autoincrement(false).default(1).check('id = 1'),
  countedAt: column.seconds(),
  tokens: column.integer(sum),
  bonding: column.integer(sum),
  completed: column.integer(sum),
  migrated: column.integer(sum),
  liquidityWeth: column.decimal(sum),
  tradesH24: column.bigint(sum),
  volumeH24: column.wei(sum),
  tradersH24: column.bigint(sum),
}

/** One row: counts and sums over the whole index, as of the last commit that changed any of them. */
export const IndexTotalsEntity = defineEntity({ name: 'IndexTotals', tableName: 'index_totals', properties })

export const INDEX_TOTALS = tableOf(IndexTotalsEntity, properties)
