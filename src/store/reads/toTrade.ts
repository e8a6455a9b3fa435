import { type RawBuilder, sql } from 'kysely'
import { shownPool } from '#domain/trade.ts'
import type { Trade } from '#resources/trades.ts'
import { toUsd } from '#resources/values.ts'
import { fromJsonColumns, jsonColumns, type Prefixed, selectList, without } from '#store/rows/insertRows.ts'
import type { StoredRow } from '#tables/columns.ts'
import { TRADE, type TradeRow } from '#tables/trade.ts'
import { secondsToIso, trimScale, weiToWeth } from './page.ts'

/** Columns that the API does not show. */
const HIDDEN = ['feeQuote', 'poolPrice', 'reserveToken', 'reserveQuote', 'realizedWei', 'realizedUsd'] as const

const SHOWN = without(TRADE, HIDDEN)

export type SelectedTrade = Prefixed<'trade', StoredRow<Omit<TradeRow, (typeof HIDDEN)[number]>>>

export const SELECTED_TRADE = selectList(SHOWN, 'trade', 'trade')

/** As `SELECTED_TRADE`, but one JSON array, for lists of trades beside other columns. */
export const TRADE_AS_JSON = jsonColumns(SHOWN)

/** A trade from the values of `TRADE_AS_JSON`. */
export function selectedTradeOf(values: readonly unknown[]): SelectedTrade {
  return fromJsonColumns(SHOWN, values, 'trade') as SelectedTrade
}

/** A stored trade as the API shows it. Its USD values are those at the time of the trade, if they were known then. */
export function toTrade(row: SelectedTrade): Trade {
  const blockNumber = String(row['trade.blockNumber'])
  const logIndex = row['trade.logIndex']
  const ethUsd = row['trade.ethUsd']
  const amountWeth = weiToWeth(row['trade.amountWei'])
  const priceWeth = trimScale(row['trade.priceWeth'])
  return {
    id: `${blockNumber}-${logIndex}`,
    token: row['trade.token'],
    pool: shownPool(row['trade.pool']),
    phase: row['trade.phase'],
    side: row['trade.side'],
    maker: row['trade.maker'],
    amountToken: row['trade.amountToken'],
    amountQuote: amountQuoteOf(row),
    amountWeth,
    priceWeth,
    priceAfterWeth: trimScale(row['trade.priceAfterWeth']),
    priceUsd: trimScale(row['trade.priceUsd']) ?? toUsd(priceWeth, ethUsd),
    valueUsd: trimScale(row['trade.valueUsd']) ?? toUsd(amountWeth, ethUsd),
    feeWeth: weiToWeth(row['trade.feeWei']),
    blockNumber,
    blockHash: row['trade.blockHash'],
    txHash: row['trade.txHash'],
    txIndex: row['trade.txIndex'],
    logIndex,
    timestamp: secondsToIso(row['trade.timestamp']),
  }
}

/** The amount in the quote currency. Where that is WETH, only the amount in wei is stored. */
function amountQuoteOf(row: SelectedTrade): string {
  const amount = row['trade.amountQuote'] ?? row['trade.amountWei']
  if (amount === null) throw new TypeError('a stored trade has no amount of its quote currency')
  return amount
}

/**
 * `left join … as quote`: the symbol and decimals of a currency. Those of an indexed token follow its events, so that a renamed token has
 * its new symbol wherever it is a currency. Those of other currencies are as their contracts last returned them.
 *
 * @param address a column of a table that is joined before, other than `token` and `currency`
 */
export function joinQuote(address: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`left join lateral (
    select symbol, decimals, true as is_read from token where token.address = ${address}
    union all
    select symbol, decimals, is_read from currency
    where currency.address = ${address} and not exists (select from token where token.address = ${address})
  ) as quote on true`
}
