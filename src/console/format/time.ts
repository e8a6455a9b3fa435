import { UNKNOWN } from '#client/decimalText.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The age of a time in one unit: `now`, `12s`, `5m`, `3h`, `2d`, `3mo`, `2y`. */
export function formatAge(time: string | null, nowMs: number): string {
  if (time === null) return UNKNOWN
  const ms = nowMs - Date.parse(time)
  return Number.isNaN(ms) ? UNKNOWN : formatSpan(ms)
}

export function formatSpan(ms: number): string {
  if (ms < SECOND) return 'now'
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)}s`
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m`
  if (ms < DAY) return `${Math.floor(ms / HOUR)}h`
  if (ms < 60 * DAY) return `${Math.floor(ms / DAY)}d`
  return ms < 730 * DAY ? `${Math.floor(ms / (30 * DAY))}mo` : `${Math.floor(ms / (365 * DAY))}y`
}

/** A duration in its two largest units: `42s`, `5m 12s`, `3h 4m`, `2d 3h`. */
export function formatDuration(seconds: number | null): string {
  if (seconds === null || !Number.isFinite(seconds)) return UNKNOWN
  const whole = Math.floor(seconds)
  if (whole < 60) return `${whole}s`
  if (whole < 3_600) return `${Math.floor(whole / 60)}m ${whole % 60}s`
  if (whole < 86_400) return `${Math.floor(whole / 3_600)}h ${Math.floor((whole % 3_600) / 60)}m`
  return `${Math.floor(whole / 86_400)}d ${Math.floor((whole % 86_400) / 3_600)}h`
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false })
const full = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })

/** The time of day, local: `14:03:12`. */
export function formatClock(time: string | number): string {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? UNKNOWN : clock.format(date)
}

const dayAndClock = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hour12: false })

/** The time of day for times of today, else with the date: `14:03:12`, `19 Nov, 22:56`. */
export function formatStamp(time: string, nowMs: number): string {
  const date = new Date(time)
  if (Number.isNaN(date.getTime())) return UNKNOWN
  return date.toDateString() === new Date(nowMs).toDateString() ? clock.format(date) : dayAndClock.format(date)
}

/** Local date and time, for tooltips. */
export function formatMoment(time: string | null): string {
  const date = new Date(time ?? Number.NaN)
  return Number.isNaN(date.getTime()) ? UNKNOWN : full.format(date)
}
