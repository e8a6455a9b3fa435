import type { Candle, CandleInterval } from '#domain/candle.ts'
import type { CandleCurrency } from '#domain/queries.ts'
import type { Trade } from '#domain/trade.ts'
import { CANDLE_SECONDS } from './intervals.ts'

/** Flat bars before a trade at most; a longer gap shows the next time that the candles load. */
const MOST_GAP_BARS = 500

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
 * The bars after a trade, from the newest of before on, until the service's candles replace them. Intervals without a trade between
 * them have flat bars, as the service's candles have. The volume stays: the candle may already include the trade, which changes nothing
 * about the prices but would count twice in the volume.
 *
 * @returns no bars for a trade without a price, or older than the newest bar
 */
export function foldTrade(newest: Bar | null, trade: Trade, interval: CandleInterval, currency: CandleCurrency): readonly Bar[] {
  const price = priceAfter(trade, currency)
  if (price === null) return []
  const length = CANDLE_SECONDS[interval]
  const seconds = Math.floor(Date.parse(trade.timestamp) / 1_000)
  const time = seconds - (seconds % length)
  if (newest === null) return [{ time, open: price, high: price, low: price, close: price, volume: 0 }]
  const { close } = newest
  if (time < newest.time) return []
  if (time === newest.time) return [{ ...newest, high: Math.max(newest.high, price), low: Math.min(newest.low, price), close: price }]
  const gap = Math.min(time - newest.time, MOST_GAP_BARS * length)
  const flat = Array.from({ length: gap / length - 1 }, (_, index) => {
    return { time: time - gap + (index + 1) * length, open: close, high: close, low: close, close, volume: 0 }
  })
  return [...flat, { time, open: close, high: Math.max(close, price), low: Math.min(close, price), close: price, volume: 0 }]
}

/** The market's price after the trade, which candles show. In USD at the price of ETH that the trade's own price was converted by. */
function priceAfter({ priceAfterWeth, priceWeth, priceUsd }: Trade, currency: CandleCurrency): number | null {
  if (priceAfterWeth === null) return null
  if (currency !== 'usd') return Number(priceAfterWeth)
  return priceUsd === null || Number(priceWeth) === 0 ? null : (Number(priceAfterWeth) * Number(priceUsd)) / Number(priceWeth)
}
