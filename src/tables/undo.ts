import { defineEntity, p } from '@mikro-orm/core'
import { column, ofBlocks } from './columns.ts'

/** A column that holds a whole row of a table: its type is the table's row type. */
const image = (table: string) => p.string().columnType(table).nullable()

/** A row as it was before one of the newest blocks changed it, in the column of its table. Of a row that the block added, only its key. */
export const BlockUndoEntity = ofBlocks(
  { undone: 'block_number' },
  defineEntity({
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
  }),
)

/** A token whose launch a reorg has undone, with its last sequence. If it is launched again, it gets a higher one. */
export const DroppedTokenEntity = defineEntity({
  name: 'DroppedToken',
  tableName: 'dropped_token',
  properties: { address: column.address().primary(), sequence: column.bigint(), droppedAtMs: column.milliseconds() },
})
