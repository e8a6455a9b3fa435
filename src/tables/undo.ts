import { defineEntity, p } from '@mikro-orm/core'
import { column } from './columns.ts'

/** A row as it was, in a column whose type is the row type of its table. */
const image = (table: string) => p.string().columnType(table).nullable()

/**
 * The image of a row before one of the newest blocks changed it, in the column of its table; for a row that the block added, its key as
 * JSON.
 */
export const BlockUndoEntity = defineEntity({
  name: 'BlockUndo',
  tableName: 'block_undo',
  properties: {
    blockNumber: column.blockNumber().primary(),
    position: column.integer().primary(),
    tableName: column.text(),
    addedKey: p.json().columnType('json').nullable(),
    token: image('token'),
    pool: image('pool'),
    poolTick: image('pool_tick'),
    balance: image('balance'),
    earlyClass: image('early_class'),
    candle: image('candle'),
    creatorFee: image('creator_fee'),
    trader: image('trader'),
    indexTotals: image('index_totals'),
    launchpadTotals: image('launchpad_totals'),
  },
})

/** A token whose launch a reorg removed, with its last sequence: launched again, it gets a higher one. */
export const DroppedTokenEntity = defineEntity({
  name: 'DroppedToken',
  tableName: 'dropped_token',
  properties: { address: column.address().primary(), sequence: column.bigint(), droppedAtMs: column.milliseconds() },
})
