import { type RawBuilder, sql } from 'kysely'
import type { CandleInterval } from '#domain/candle.ts'
import { parseDecimal } from '#domain/decimal.ts'
import type { Candle } from '#resources/candles.ts'
import { startOfCandle } from './startOfCandle.ts'

/** Volumes are in wei, or in the quote currency's smallest units. Prices in the quote currency are per 10^18 of its smallest units. */
export interface StoredCandle extends Candle {
  /** Whether this is no candle, but the token's price at the newest block after its quote currency's rate has moved. */
  readonly isPresent: boolean
}

/** Unix seconds, or SQL of them. */
export type CandleBound = number | RawBuilder<number>

/** Selects a token's present price, if it is not that of its last event, as a row beside its candles in WETH in the newest interval. */
export function selectPresentPrice(
  { token, interval }: { readonly token: RawBuilder<unknown>; readonly interval: CandleInterval },
  from: CandleBound,
  to: number,
) {
  return sql<StoredCandle>`
    select present.time, price_weth as open, price_weth as high, price_weth as low, price_weth as close, 0::numeric as volume, 0 as trades, true as "isPresent",
      null::boolean as "inUsd"
    from token cross join lateral (select ${startOfCandle(sql`cursor_timestamp`, interval)} as time from chain_state) as present
    where token.address = ${token} and quote_token is not null and price_weth <> event_price_weth
      and present.time >= ${from}::bigint and present.time <= ${to}::bigint`
}

/**
 * Has the newest candle close at the present price. If that is of a later interval, it gets a candle of its own, which opens at the last
 * close. Without any candle there is no close to open at.
 *
 * @param rows newest first; the present price comes before a candle of the same interval
 */
export function closingAtPresent([present, ...candles]: readonly StoredCandle[]): readonly StoredCandle[] {
  if (present === undefined || !present.isPresent) return present === undefined ? [] : [present, ...candles]
  const [newest, ...older] = candles
  if (newest === undefined) return []
  if (newest.time === present.time) return [extended(newest, present), ...older]
  return [extended({ ...present, open: newest.close, high: newest.close, low: newest.close }, present), ...candles]
}

function extended(candle: StoredCandle, { close }: StoredCandle): StoredCandle {
  const price = parseDecimal(close)
  const isHigher = price > parseDecimal(candle.high)
  const isLower = price < parseDecimal(candle.low)
  return { ...candle, close, high: isHigher ? close : candle.high, low: isLower ? close : candle.low, isPresent: false }
}
