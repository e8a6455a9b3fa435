import { defineEntity, p } from '@mikro-orm/core'
import { column } from './columns.ts'

/** The image of a row before one of the newest blocks changed it; for a row that the block added, only its key. */
export const BlockUndoEntity = defineEntity({
  name: 'BlockUndo',
  tableName: 'block_undo',
  properties: {
    blockNumber: column.blockNumber().primary(),
    position: column.integer().primary(),
    tableName: column.oneOf('table_name', [
      'token',
      'pool',
      'pool_tick',
      'balance',
      'early_class',
      'candle',
      'creator_fee',
      'trader',
      'index_totals',
      'launchpad_totals',
    ]),
    existed: column.boolean(),
    image: p.json().columnType('json'),
  },
})

/** A token whose launch a reorg removed, with its last sequence: launched again, it gets a higher one. */
export const DroppedTokenEntity = defineEntity({
  name: 'DroppedToken',
  tableName: 'dropped_token',
  properties: { address: column.address().primary(), sequence: column.bigint(), droppedAtMs: column.milliseconds() },
})
