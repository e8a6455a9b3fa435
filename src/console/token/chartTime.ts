import type { CandleInterval } from '#client/generated/types.ts'
import { candleSeconds } from '#client/live/foldCandleChange.ts'

/** What changes at a tick of the time axis. */
export type TimePart = 'year' | 'month' | 'day' | 'time'

/**
 * The time axis of a chart. The chart library knows only UTC: it gets times that are shifted to the local zone, so that its ticks are
 * at local midnights, and labels that are made from the true times.
 */
export interface ChartTime {
  /** Seconds from the true time to the chart's. */
  readonly shift: number
  /** As a reader names the zone: `UTC`, `GMT+2`. */
  readonly zone: string
  /** The label of a tick. */
  tick(chartSeconds: number, part: TimePart): string
  /** Date and time of a bar. */
  moment(chartSeconds: number): string
}

/** Candles of days and weeks are of UTC days, so their axis is, too. All shorter intervals are in local time. */
export function isOfUtcDays(interval: CandleInterval): boolean {
  return candleSeconds(interval) >= candleSeconds('1d')
}

export function chartTimeOf(interval: CandleInterval, nowMs: number): ChartTime {
  const isUtc = isOfUtcDays(interval)
  const hasSeconds = candleSeconds(interval) < candleSeconds('1m')
  // One shift for all times: where summer time began or ended, ticks are an hour from midnight, but no label is wrong.
  const shift = isUtc ? 0 : -new Date(nowMs).getTimezoneOffset() * 60
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { ...options, ...(isUtc ? { timeZone: 'UTC' } : {}) })
  const formats = {
    year: format({ year: 'numeric' }),
    month: format({ month: 'short' }),
    day: format({ day: 'numeric', month: 'short' }),
    time: format({ hour: '2-digit', minute: '2-digit', ...(hasSeconds && { second: '2-digit' }), hour12: false }),
  }
  const full = isUtc ? format({ dateStyle: 'medium' }) : format({ dateStyle: 'medium', timeStyle: hasSeconds ? 'medium' : 'short' })
  const zoned = format({ timeZoneName: 'short' }).formatToParts(nowMs)
  const dateOf = (chartSeconds: number) => new Date((chartSeconds - shift) * 1_000)
  return {
    shift,
    zone: zoned.find(({ type }) => type === 'timeZoneName')?.value ?? 'UTC',
    tick: (chartSeconds, part) => formats[part].format(dateOf(chartSeconds)),
    moment: chartSeconds => full.format(dateOf(chartSeconds)),
  }
}
