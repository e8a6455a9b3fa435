import type { CandleInterval } from '#client/generated/types.ts'

/** Length of each interval in seconds. */
export const CANDLE_SECONDS = { '1m': 60, '5m': 300, '15m': 900, '1h': 3_600, '4h': 14_400, '1d': 86_400 } as const satisfies Record<
  CandleInterval,
  number
>

export const INTERVAL_NAMES = { '1m': '1m', '5m': '5m', '15m': '15m', '1h': '1h', '4h': '4h', '1d': '1d' } as const satisfies Record<
  CandleInterval,
  string
>

/** About as many bars as a chart shows at once. */
const BARS = 150

/** The shortest interval in which a chart shows the whole life of a token, or the longest one. */
export function intervalOfAge(createdAt: string, nowMs: number): CandleInterval {
  const seconds = (nowMs - Date.parse(createdAt)) / 1_000
  const intervals = Object.keys(CANDLE_SECONDS) as CandleInterval[]
  return intervals.find(interval => CANDLE_SECONDS[interval] * BARS >= seconds) ?? '1d'
}
