/**
 * How long to wait after that many failures in a row, in ms: anything from 0 to a bound that doubles up to `capMs` ("full jitter"), so that
 * clients that lost the same server come back spread out.
 *
 * @param random - from 0 up to 1
 */
export function backoffMs(failures: number, random: () => number, baseMs = 500, capMs = 30_000): number {
  return random() * Math.min(capMs, baseMs * 2 ** Math.min(failures, 16))
}

/** A period that is a quarter shorter to a quarter longer, so that what begins together does not go on together. */
export function jitteredMs(periodMs: number, random: () => number): number {
  return periodMs * (0.75 + random() / 2)
}
