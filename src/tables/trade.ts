import { defineEntity } from '@mikro-orm/core'
import { TRADE_SIZES } from '#domain/trade.ts'
import { column, ofBlocks, type RowOf, tableOf } from './columns.ts'

const properties = {
  blockNumber: column.blockNumber().primary(),
  logIndex: column.logIndex().primary(),
  token: column.address(),
  pool: column.hex(),
  phase: column.oneOf('phase', ['curve', 'pool']),
  side: column.oneOf('side', ['buy', 'sell']),
  maker: column.address(),
  amountToken: column.units(),
  /** The amount in the pool's currency; `null`: that is WETH, and `amountWei` is the same amount. Likewise `feeQuote`. */
  amountQuote: column.units().strictNullable(),
  feeQuote: column.units().strictNullable(),
  /** The values of amount and fee in wei; `null`: not known. */
  amountWei: column.wei().strictNullable(),
  feeWei: column.wei().strictNullable(),
  priceWeth: column.decimal().strictNullable(),
  /** The market's price after the trade. Candles and price changes are made from it. */
  priceAfterWeth: column.decimal().strictNullable(),
  /** The pool's price after the trade, as `PoolRow.price`; `null`: the same as `priceAfterWeth`. */
  poolPrice: column.decimal().strictNullable(),
  /** The pool's reserve after the trade; `null`: not known. */
  reserveToken: column.units().strictNullable(),
  reserveQuote: column.units().strictNullable(),
  /** USD per ETH at the trade, by pools of pegged currencies, or else by a provider if the block was indexed near the head. */
  ethUsd: column.decimal().strictNullable(),
  /** The price in USD by a peg of the pool's currency; `null`: there is no peg, and it follows from `ethUsd`. Likewise `valueUsd`. */
  priceUsd: column.decimal().strictNullable(),
  valueUsd: column.decimal().strictNullable(),
  /** A sale's proceeds less its average cost, in wei and in 10^-18 USD; `null`: a purchase, or cost or proceeds are not known. */
  realizedWei: column.wei().strictNullable(),
  realizedUsd: column.units().strictNullable(),
  blockHash: column.hex(),
  txHash: column.hex(),
  txIndex: column.bigint(),
  timestamp: column.seconds(),
}

/**
 * Expressions of the indexes by size, which queries have to use in the same form. The expression for one token's trades differs, so that
 * the planner can't use the index over all tokens for them, as it did for queries with bounds in blocks.
 */
export const LARGE_TRADE = `amount_wei >= ${TRADE_SIZES[0]}`
export const TRADE_SIZE = `width_bucket(amount_wei, '{${TRADE_SIZES.join(',')}}'::numeric[])`
/** The index by amount has this in place of the side, since the planner could use `trade_by_token` for a condition on the side. */
export const IS_BUY = `side = 'buy'`
export const TOKEN_TRADE_SIZE = `(${TRADE_SIZE})::smallint`

export const TradeEntity = ofBlocks(
  { undone: 'block_number', leavesBy: 'token', joins: 'all' },
  defineEntity({
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
  }),
)

export interface TradeRow extends RowOf<typeof properties> {}
export const TRADE = tableOf(TradeEntity, properties)
