import { defineEntity } from '@mikro-orm/core'
import { column } from './columns.ts'

/** A reorg of indexed blocks: what was stored of `fromBlock` and later ones was void when its transaction committed. */
export const ReorgEntity = defineEntity({
  name: 'Reorg',
  tableName: 'reorg',
  properties: { number: column.bigint().primary().autoincrement(false), fromBlock: column.blockNumber() },
})
