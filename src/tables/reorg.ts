import { defineEntity } from '@mikro-orm/core'
import { column } from './columns.ts'

/** A reorg of indexed blocks: what readers have read of `fromBlock` and later blocks before its commit is void. */
export const ReorgEntity = defineEntity({
  name: 'Reorg',
  tableName: 'reorg',
  properties: { number: column.bigint().primary().autoincrement(false), fromBlock: column.blockNumber() },
})
