import type { CandleInterval } from '#client/generated/types.ts'

/** Length of each interval in seconds. */
export const CANDLE_SECONDS = {
  '1s': 1,
  '5s': 5,
  '15s': 15,
  '30s': 30,
  '1m': 60,
  '5m': 300,
  '15m': 900,
  '30m': 1_800,
  '1h': 3_600,
  '4h': 14_400,
  '12h': 43_200,
  '1d': 86_400,
  '1w': 604_800,
} as const satisfies Record<CandleInterval, number>

/** The intervals that a chart offers, ascending. */
export const INTERVAL_NAMES = {
  '1s': '1s',
  '15s': '15s',
  '1m': '1m',
  '5m': '5m',
  '15m': '15m',
  '1h': '1h',
  '4h': '4h',
  '1d': '1d',
  '1w': '1w',
} as const satisfies Partial<Record<CandleInterval, string>>

export type ChartInterval = keyof typeof INTERVAL_NAMES

/** About as many bars as a chart shows at once. */
const BARS = 150

/** The shortest interval in which a chart shows the whole life of a token, or that of days. */
export function intervalOfAge(createdAt: string, nowMs: number): ChartInterval {
  const seconds = (nowMs - Date.parse(createdAt)) / 1_000
  const intervals = (Object.keys(INTERVAL_NAMES) as ChartInterval[]).filter(interval => interval !== '1w')
  return intervals.find(interval => CANDLE_SECONDS[interval] * BARS >= seconds) ?? '1d'
}
