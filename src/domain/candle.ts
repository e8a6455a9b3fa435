/** Length in seconds of each candle interval; days start at 00:00 UTC. */
export const CANDLE_INTERVALS = { '1m': 60, '5m': 300, '15m': 900, '1h': 3_600, '4h': 14_400, '1d': 86_400 } as const

export type CandleInterval = keyof typeof CANDLE_INTERVALS

/** The start, in Unix seconds, of the interval that holds a time. */
export function candleStart(unixSeconds: number, interval: CandleInterval): number {
  const length = CANDLE_INTERVALS[interval]
  return unixSeconds - (unixSeconds % length)
}
