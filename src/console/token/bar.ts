import type { Candle } from '#client/generated/types.ts'

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
