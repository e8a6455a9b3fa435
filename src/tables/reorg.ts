import { defineEntity } from '@mikro-orm/core'
import { column } from './columns.ts'

/** A reorg of indexed blocks: when its transaction committed, everything stored of `fromBlock` and later blocks became void. */
export const ReorgEntity = defineEntity({
  name: 'Reorg',
  tableName: 'reorg',
  properties: { number: column.bigint().primary().autoincrement(false), fromBlock: column.blockNumber() },
})
