import { formatCompact, groupDigits, UNKNOWN, withSign } from '#client/decimalText.ts'

/** An integer in full: `1,234,567`. */
export function formatCount(value: number | string | null): string {
  if (value === null) return UNKNOWN
  const text = String(value)
  return /^-?\d+$/.test(text) ? withSign(text.startsWith('-'), groupDigits(text.replace(/^-/, ''))) : UNKNOWN
}

/** A change in percent with its sign: `+12.3%`, `−0.4%`, `0.0%`, `+12.3K%`. */
export function formatChange(percent: number | null): string {
  if (percent === null || !Number.isFinite(percent)) return UNKNOWN
  const size = Math.abs(percent)
  const text = size >= 1_000 ? formatCompact(size) : size.toFixed(size >= 100 ? 0 : 1)
  const sign = !/[1-9]/.test(text) ? '' : percent > 0 ? '+' : '−'
  return `${sign}${text}%`
}

/** A share in percent, 0 to 100: `12.5%`, `<0.01%`. */
export function formatShare(percent: number | null): string {
  if (percent === null || !Number.isFinite(percent)) return UNKNOWN
  if (percent > 0 && percent < 0.01) return '<0.01%'
  if (percent > 99.99 && percent < 100) return '99.99%'
  return `${percent.toFixed(percent === 0 || percent >= 10 ? 1 : 2)}%`
}

/** Bytes in decimal units: `640 B`, `6.72 kB`, `285 MB`. */
export function formatBytes(bytes: number | null): string {
  if (bytes === null || !Number.isFinite(bytes)) return UNKNOWN
  const unit = bytes >= 1e9 ? 'GB' : bytes >= 1e6 ? 'MB' : bytes >= 1e3 ? 'kB' : 'B'
  const size = bytes / { GB: 1e9, MB: 1e6, kB: 1e3, B: 1 }[unit]
  return `${formatCompact(size)} ${unit}`
}

/** Milliseconds with two or three digits: `0.4 ms`, `12 ms`, `1.2 s`. */
export function formatMs(ms: number | null): string {
  if (ms === null || !Number.isFinite(ms)) return UNKNOWN
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(ms >= 10_000 ? 0 : 1)} s`
  return `${ms.toFixed(ms > 0 && ms < 10 ? 1 : 0)} ms`
}
