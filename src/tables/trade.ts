import { defineEntity } from '@mikro-orm/core'
import { TRADE_SIZES } from '#domain/tradeSize.ts'
import { column } from './columns.ts'
import { type RowOf, tableOf } from './tableOf.ts'

const properties = {
  blockNumber: column.blockNumber().primary(),
  logIndex: column.logIndex().primary(),
  token: column.address(),
  pool: column.hex(),
  phase: column.oneOf('phase', ['curve', 'pool']),
  side: column.oneOf('side', ['buy', 'sell']),
  maker: column.address(),
  amountToken: column.units(),
  /** In the pool's currency. `null` where that is WETH: `amountWei` and `feeWei` hold the same amounts. */
  amountQuote: column.units().strictNullable(),
  feeQuote: column.units().strictNullable(),
  /** What amount and fee are worth in wei; `null`: not known. */
  amountWei: column.wei().strictNullable(),
  feeWei: column.wei().strictNullable(),
  priceWeth: column.decimal().strictNullable(),
  /** The market's price after this trade: what candles show, and price changes are measured from. */
  priceAfterWeth: column.decimal().strictNullable(),
  /** The pool's price after it, as `PoolRow.price`; `null`: the same as `priceAfterWeth`. */
  poolPrice: column.decimal().strictNullable(),
  /** What the pool holds after it; `null`: not known. */
  reserveToken: column.units().strictNullable(),
  reserveQuote: column.units().strictNullable(),
  /** USD per ETH at the trade, by pools of pegged currencies; without them, by a provider when its block was indexed near the head. */
  ethUsd: column.decimal().strictNullable(),
  /** In USD, where a peg says what the pool's currency is worth; else `null`, and they follow from `ethUsd`. */
  priceUsd: column.decimal().strictNullable(),
  valueUsd: column.decimal().strictNullable(),
  /**
   * What a sale brought beyond the average cost of what was sold, in wei and in units of 10^-18 USD. `null`: a purchase, or the cost or the
   * proceeds are not known.
   */
  realizedWei: column.wei().strictNullable(),
  realizedUsd: column.units().strictNullable(),
  blockHash: column.hex(),
  txHash: column.hex(),
  txIndex: column.bigint(),
  timestamp: column.seconds(),
}

/**
 * The indexes by size use these expressions, and queries have to use the same ones. The expression for one token's trades differs, so that
 * the planner can't use the index over all tokens for them, as it did for queries with bounds in blocks.
 */
export const LARGE_TRADE = `amount_wei >= ${TRADE_SIZES[0]}`
export const TRADE_SIZE = `width_bucket(amount_wei, '{${TRADE_SIZES.join(',')}}'::numeric[])`
/** The index by amount begins with this, since the planner could take `trade_by_token` for one that begins with the side. */
export const IS_BUY = `side = 'buy'`
export const TOKEN_TRADE_SIZE = `(${TRADE_SIZE})::smallint`

export const TradeEntity = defineEntity({
  name: 'Trade',
  tableName: 'trade',
  properties,
  indexes: [
    { name: 'trade_by_token', properties: ['token', 'side', 'blockNumber', 'logIndex'] },
    { name: 'trade_by_maker', properties: ['token', 'maker', 'side', 'blockNumber', 'logIndex'] },
    { name: 'trade_by_wallet', properties: ['maker', 'side', 'blockNumber', 'logIndex'] },
    { name: 'trade_by_token_time', properties: ['token', 'timestamp', 'blockNumber', 'logIndex'] },
    {
      name: 'trade_by_token_amount',
      expression: `create index trade_by_token_amount on trade (token, (${IS_BUY}), amount_wei, block_number, log_index) where amount_wei is not null`,
    },
    {
      name: 'trade_by_size',
      expression: `create index trade_by_size on trade ((${TRADE_SIZE}), block_number, log_index) where ${LARGE_TRADE}`,
    },
    {
      name: 'trade_by_token_size',
      expression: `create index trade_by_token_size on trade (token, (${TOKEN_TRADE_SIZE}), block_number, log_index) where ${LARGE_TRADE}`,
    },
  ],
})

export interface TradeRow extends RowOf<typeof properties> {}
export const TRADE = tableOf(TradeEntity, properties)
