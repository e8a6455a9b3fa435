/**
 * Reads a `Retry-After` header (RFC 9110, section 10.2.3): seconds or a date.
 *
 * @returns milliseconds from now, with no upper bound; `null` when the header is absent or unreadable
 */
export function parseRetryAfter(header: string | null | undefined, nowMs: number): number | null {
  const text = header?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000
  // Date.parse would take "-5" for a year.
  const at = /[a-z]{3}/i.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs)
}
