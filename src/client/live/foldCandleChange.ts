import type { Candle, CandleInterval } from '#client/generated/types.ts'

/** As the channel `candles` sends it: the candles from `from` on, Unix seconds, are replaced by `data`. */
export interface CandleChange {
  readonly from: number
  readonly data: readonly Candle[]
}

/** The candles after a change, times ascending, at most the newest `limit`. */
export function foldCandleChange(
  candles: readonly Candle[],
  { from, data }: CandleChange,
  limit = Number.POSITIVE_INFINITY,
): readonly Candle[] {
  const folded = [...candles.filter(({ time }) => time < from), ...data]
  return folded.slice(Math.max(0, folded.length - limit))
}

/** The earliest time at which two states of candles differ, as far back as the later one reaches. Infinite: they don't. */
export function firstDifference(before: readonly Candle[], after: readonly Candle[]): number {
  const textOf = (candle: Candle) => JSON.stringify(candle)
  const texts = [before, after].map(candles => new Set(candles.map(textOf)))
  const start = after[0]?.time ?? 0
  const differing = [...before, ...after].filter(candle => candle.time >= start && texts.some(held => !held.has(textOf(candle))))
  return Math.min(...differing.map(({ time }) => time))
}

/** Seconds by the unit of an interval. */
const UNITS = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 } as const

/** Length of an interval in seconds. */
export function candleSeconds(interval: CandleInterval): number {
  return Number.parseInt(interval, 10) * UNITS[interval.slice(-1) as keyof typeof UNITS]
}

/**
 * The candles, with one for every interval: an interval without a trade carries the close before it. The same as `fill=true` of the API,
 * for candles from `foldCandleChange`.
 *
 * @param until - Unix seconds of the last interval. Default: that of the last candle
 */
export function fillCandles(candles: readonly Candle[], interval: CandleInterval, until = candles.at(-1)?.time ?? 0): readonly Candle[] {
  const length = candleSeconds(interval)
  return candles.flatMap((candle, index) => {
    const { time, close } = candle
    const filled = [candle]
    const end = candles[index + 1]?.time ?? until + 1
    for (let next = time + length; next < end; next += length) {
      filled.push({ time: next, open: close, high: close, low: close, close, volume: '0', trades: 0 })
    }
    return filled
  })
}
