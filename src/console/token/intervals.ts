import type { CandleInterval } from '#client/generated/types.ts'
import { candleSeconds } from '#client/live/foldCandleChange.ts'

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
  return intervals.find(interval => candleSeconds(interval) * BARS >= seconds) ?? '1d'
}
