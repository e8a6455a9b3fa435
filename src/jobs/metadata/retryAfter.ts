/** `Retry-After` in milliseconds from now (RFC 9110 section 10.2.3: seconds, or a date). `null`: it is absent or says nothing. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | null {
  const text = header?.trim() ?? ''
  const asked = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs
  return Number.isFinite(asked) ? Math.max(asked, 0) : null
}
