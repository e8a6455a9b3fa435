import { sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import type { Trade, TradePhase, TradeSide } from '#domain/trade.ts'
import { toUsd } from '#domain/usd.ts'
import { secondsToIso, toDecimal, weiToWeth } from './tokenRow.ts'

/** What a statement with `TRADE_COLUMNS` gives per trade. */
export interface TradeRow {
  readonly trade_block_number: string
  readonly trade_log_index: number
  readonly trade_token: string
  readonly trade_pool: string
  readonly trade_phase: TradePhase
  readonly trade_side: TradeSide
  readonly trade_maker: string
  readonly trade_amount_token: string
  readonly trade_amount_wei: string | null
  readonly trade_fee_wei: string | null
  readonly trade_price_weth: string | null
  readonly trade_eth_usd: string | null
  readonly trade_block_hash: string
  readonly trade_tx_hash: string
  readonly trade_timestamp: string
}

/** A trade's columns, named so that they stand beside those of a token. Of bytes the hex: made here, it need not be made into bytes and back. */
export const TRADE_COLUMNS = sql`trade.block_number as trade_block_number, trade.log_index as trade_log_index, encode(trade.token, 'hex') as trade_token,
  encode(trade.pool, 'hex') as trade_pool, trade.phase as trade_phase, trade.side as trade_side, encode(trade.maker, 'hex') as trade_maker,
  trade.amount_token as trade_amount_token, trade.amount_wei as trade_amount_wei, trade.fee_wei as trade_fee_wei,
  trade.price_weth as trade_price_weth, trade.eth_usd as trade_eth_usd, encode(trade.block_hash, 'hex') as trade_block_hash,
  encode(trade.tx_hash, 'hex') as trade_tx_hash, trade.timestamp as trade_timestamp`

/** A stored trade as it goes over the wire; its USD values are those of the moment of the trade, where they were known then. */
export function toTrade(row: TradeRow): Trade {
  const amountWeth = weiToWeth(row.trade_amount_wei)
  const priceWeth = toDecimal(row.trade_price_weth)
  return {
    id: `${row.trade_block_number}-${row.trade_log_index}`,
    token: `0x${row.trade_token}` as Address,
    pool: `0x${row.trade_pool}`,
    phase: row.trade_phase,
    side: row.trade_side,
    maker: `0x${row.trade_maker}` as Address,
    amountToken: row.trade_amount_token,
    amountWeth,
    priceWeth,
    priceUsd: toUsd(priceWeth, row.trade_eth_usd),
    valueUsd: toUsd(amountWeth, row.trade_eth_usd),
    feeWeth: weiToWeth(row.trade_fee_wei),
    blockNumber: row.trade_block_number,
    blockHash: `0x${row.trade_block_hash}`,
    txHash: `0x${row.trade_tx_hash}`,
    logIndex: row.trade_log_index,
    timestamp: secondsToIso(row.trade_timestamp),
  }
}
