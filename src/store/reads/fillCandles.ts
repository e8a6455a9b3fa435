import type { Candle } from '#domain/candle.ts'

export interface FillInput {
  /** The candles with trades between `start` and `end`, ascending. */
  readonly stored: readonly Candle[]
  /** The last candle before `start`; `null`: there is none. */
  readonly earlier: Candle | null
  /** The first and last interval, Unix seconds, both inclusive. */
  readonly start: number
  readonly end: number
  /** Length of the interval in seconds. */
  readonly step: number
}

/**
 * One candle per interval: intervals without a trade repeat the close before them. Begins with the first candle where nothing precedes it.
 */
export function fillCandles({ stored, earlier, start, end, step }: FillInput): readonly Candle[] {
  const byTime = new Map(stored.map(candle => [candle.time, candle]))
  const filled: Candle[] = []
  let close = earlier?.close ?? null
  for (let time = start; time <= end; time += step) {
    const candle = byTime.get(time) ?? (close === null ? null : carry(time, close))
    if (candle === null) continue
    filled.push(candle)
    close = candle.close
  }
  return filled
}

function carry(time: number, close: string): Candle {
  return { time, open: close, high: close, low: close, close, volume: '0', trades: 0 }
}
