/**
 * The pause in ms after `failures` failures in a row: random, up to a bound that doubles with each of them ("full jitter"), so that clients
 * that lost the same server do not reconnect all at once.
 */
export function backoffMs(failures: number, random: () => number, baseMs = 500, capMs = 30_000): number {
  return random() * Math.min(capMs, baseMs * 2 ** Math.min(failures, 16))
}

const MAX_POLL_MS = 60_000

/**
 * The pause until the next request: the period, doubled with each failure in a row up to a minute. Up to a quarter shorter or longer, so
 * that clients which started together drift apart.
 */
export function pollMs(periodMs: number, random: () => number, failures = 0): number {
  return Math.min(periodMs * 2 ** failures, MAX_POLL_MS) * (0.75 + random() / 2)
}
