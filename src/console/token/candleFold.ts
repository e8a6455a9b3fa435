import type { Candle, CandleInterval } from '#domain/candle.ts'
import type { CandleCurrency } from '#domain/queries.ts'
import type { Trade } from '#domain/trade.ts'
import { CANDLE_SECONDS } from './intervals.ts'

/** A candle of the chart. */
export interface Bar {
  readonly time: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly volume: number
}

export function barOf({ time, open, high, low, close, volume }: Candle): Bar {
  return { time, open: Number(open), high: Number(high), low: Number(low), close: Number(close), volume: Number(volume) }
}

/**
 * The newest bar after a trade, until the service's candle replaces it. The volume stays: the candle may already include the trade,
 * which changes nothing about the prices but would count twice in the volume.
 *
 * @returns `null` for a trade without a price, or older than the newest bar
 */
export function foldTrade(newest: Bar | null, trade: Trade, interval: CandleInterval, currency: CandleCurrency): Bar | null {
  const price = priceAfter(trade, currency)
  if (price === null) return null
  const length = CANDLE_SECONDS[interval]
  const seconds = Math.floor(Date.parse(trade.timestamp) / 1_000)
  const time = seconds - (seconds % length)
  if (newest === null || time > newest.time) {
    const open = newest?.close ?? price
    return { time, open, high: Math.max(open, price), low: Math.min(open, price), close: price, volume: 0 }
  }
  if (time < newest.time) return null
  return { ...newest, high: Math.max(newest.high, price), low: Math.min(newest.low, price), close: price }
}

/** The market's price after the trade, which candles show. In USD at the price of ETH that the trade's own price was converted by. */
function priceAfter({ priceAfterWeth, priceWeth, priceUsd }: Trade, currency: CandleCurrency): number | null {
  if (priceAfterWeth === null) return null
  if (currency !== 'usd') return Number(priceAfterWeth)
  return priceUsd === null || Number(priceWeth) === 0 ? null : (Number(priceAfterWeth) * Number(priceUsd)) / Number(priceWeth)
}
