import { type RawBuilder, sql } from 'kysely'
import type { CandleInterval } from '#domain/candle.ts'
import { parseDecimal } from '#domain/decimal.ts'
import type { Candle } from '#resources/candles.ts'
import { startOfCandle } from './startOfCandle.ts'

/**
 * Volumes in WETH are in wei, volumes in the quote currency in its smallest units. Prices in the quote currency are in 10^18 of its
 * smallest units.
 */
export interface StoredCandle extends Candle {
  /**
   * Not a candle but the token's price at the newest indexed block, where the rate of its quote currency has moved since the token's last
   * event.
   */
  readonly isPresent: boolean
}

/** Unix seconds, or SQL of them. */
export type CandleBound = number | RawBuilder<number>

/** The present price of a token as a row beside its candles in WETH, in the interval of the newest indexed block; else no row. */
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
 * Has the candles close at the present price: in the candle of its interval, or in one of its own that opens where the one before closed.
 *
 * @param rows newest first; the present price before a candle of the same interval. Without any candle it has nothing to open with
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
