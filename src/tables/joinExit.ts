import { defineEntity } from '@mikro-orm/core'
import { column } from './columns.ts'
import { type RowOf, tableOf } from './tableOf.ts'

const properties = {
  blockNumber: column.blockNumber().primary(),
  logIndex: column.logIndex().primary(),
  pool: column.hex().primary(),
  maker: column.address(),
  /** What entered the pool, negative where it left. */
  amountToken: column.units(),
  amountQuote: column.units(),
  /** What the pool holds after it; `null`: not known. */
  reserveToken: column.units().strictNullable(),
  reserveQuote: column.units().strictNullable(),
  txHash: column.hex(),
  txIndex: column.bigint(),
  timestamp: column.seconds(),
}

/** Liquidity that entered a pool or left it, such as the amounts that a graduation moves out of a curve. */
export const JoinExitEntity = defineEntity({ name: 'JoinExit', tableName: 'join_exit', properties })

export interface JoinExitRow extends RowOf<typeof properties> {}
export const JOIN_EXIT = tableOf(JoinExitEntity, properties)
