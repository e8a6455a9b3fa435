/** The time after which a client that neither reads nor answers is closed. */
export const UNRESPONSIVE_MS = 60_000

/** The silence after which a client is pinged: proxies often close idle connections after 60 s, some after 30 s. */
export const PING_AFTER_MS = 20_000

/** The signs of life of a client. Times are monotonic, in ms. */
export interface Signs {
  /** When the client last sent a message, a ping or a pong. */
  readonly heardAtMs: number
  readonly pingedAtMs: number
  /** Since when the client has read none of the data buffered for it; `null`: no data is buffered. */
  readonly stuckSinceMs: number | null
}

export type Verdict = 'fine' | 'ping' | 'close'

/**
 * Decides by a client's signs of life what to do with its connection.
 *
 * 1. While data is buffered for the client, reading it is the sign of life: a ping would wait behind the data.
 * 2. Otherwise, anything that the client sends is the sign of life. A ping makes it send something.
 */
export function judge(signs: Signs, nowMs: number): Verdict {
  if (signs.stuckSinceMs !== null) return nowMs - signs.stuckSinceMs >= UNRESPONSIVE_MS ? 'close' : 'fine'
  if (nowMs - signs.heardAtMs >= UNRESPONSIVE_MS) return 'close'
  return nowMs - Math.max(signs.heardAtMs, signs.pingedAtMs) >= PING_AFTER_MS ? 'ping' : 'fine'
}
