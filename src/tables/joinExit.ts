import { defineEntity } from '@mikro-orm/core'
import { column, ofBlocks, type RowOf, tableOf } from './columns.ts'

const properties = {
  blockNumber: column.blockNumber().primary(),
  logIndex: column.logIndex().primary(),
  pool: column.hex().primary(),
  maker: column.address(),
  /** The amount that entered the pool; negative: it left the pool. */
  amountToken: column.units(),
  amountQuote: column.units(),
  /** The pool's reserve after the event; `null`: not known. */
  reserveToken: column.units().strictNullable(),
  reserveQuote: column.units().strictNullable(),
  txHash: column.hex(),
  txIndex: column.bigint(),
  timestamp: column.seconds(),
}

/** Amounts that entered a pool or left it as liquidity, as when a graduation empties a curve. */
export const JoinExitEntity = ofBlocks(
  { undone: 'block_number', leavesBy: 'pool', joins: 'all' },
  defineEntity({ name: 'JoinExit', tableName: 'join_exit', properties }),
)

export interface JoinExitRow extends RowOf<typeof properties> {}
export const JOIN_EXIT = tableOf(JoinExitEntity, properties)
