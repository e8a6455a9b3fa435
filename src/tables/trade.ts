import { defineEntity } from '@mikro-orm/core'
import { column } from './columns.ts'
import { type RowOf, tableOf } from './tableOf.ts'

const properties = {
  blockNumber: column.blockNumber().primary(),
  logIndex: column.integer().primary(),
  token: column.address(),
  pool: column.hex(),
  phase: column.oneOf('phase', ['curve', 'pool']),
  side: column.oneOf('side', ['buy', 'sell']),
  maker: column.address(),
  amountToken: column.units(),
  amountWei: column.wei().strictNullable(),
  feeWei: column.wei().strictNullable(),
  priceWeth: column.decimal().strictNullable(),
  /** The price of the token's main pool after this trade: what price changes are measured from. */
  priceAfterWeth: column.decimal().strictNullable(),
  /** USD per ETH when the block was indexed, if that was near the head and the price was fresh. */
  ethUsd: column.decimal().strictNullable(),
  blockHash: column.hex(),
  txHash: column.hex(),
  timestamp: column.seconds(),
}

export const TradeEntity = defineEntity({
  name: 'Trade',
  tableName: 'trade',
  properties,
  indexes: [
    { name: 'trade_by_token', properties: ['token', 'side', 'blockNumber', 'logIndex'] },
    { name: 'trade_by_maker', properties: ['token', 'maker', 'side', 'blockNumber', 'logIndex'] },
    { name: 'trade_by_token_time', properties: ['token', 'timestamp', 'blockNumber', 'logIndex'] },
  ],
})

export interface TradeRow extends RowOf<typeof properties> {}
export const TRADE = tableOf(TradeEntity, properties)
