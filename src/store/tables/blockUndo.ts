import { defineEntity, p } from '@mikro-orm/core'
import { oneOf, safeInteger } from './columns.ts'

/** A row as it was before one of the newest blocks changed it. */
export const BlockUndoEntity = defineEntity({
  name: 'BlockUndo',
  tableName: 'block_undo',
  properties: {
    blockNumber: safeInteger().primary(),
    position: p.integer().primary(),
    tableName: oneOf('table_name', ['token', 'pool', 'balance', 'candle', 'creator_fee', 'trader', 'index_totals']),
    existed: p.boolean(),
    image: p.json().columnType('json'),
  },
})
