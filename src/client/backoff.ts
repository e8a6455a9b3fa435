/**
 * The pause in ms after that many failures in a row, random up to a bound that doubles ("full jitter"): clients that lost the same server
 * reconnect spread out.
 */
export function backoffMs(failures: number, random: () => number, baseMs = 500, capMs = 30_000): number {
  return random() * Math.min(capMs, baseMs * 2 ** Math.min(failures, 16))
}

/** The period, up to a quarter shorter or longer, so that clients which started together drift apart. */
export function jitteredMs(periodMs: number, random: () => number): number {
  return periodMs * (0.75 + random() / 2)
}
