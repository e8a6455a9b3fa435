/** A client that neither reads nor answers for so long is closed. */
export const UNRESPONSIVE_MS = 60_000

/** Silence after which a client is pinged: proxies on the way commonly close after 60 s, some after 30. */
export const PING_AFTER_MS = 20_000

/** What is known of a WebSocket. Times are monotonic, in ms. */
export interface Signs {
  /** When anything was last heard from the client: a message, a ping or a pong. */
  readonly heardAtMs: number
  /** When it was last pinged. */
  readonly pingedAtMs: number
  /** Since when it has read nothing of what is buffered for it; `null`: nothing is. */
  readonly stuckSinceMs: number | null
}

export type Verdict = 'fine' | 'ping' | 'close'

/**
 * 1. A client for which data is buffered lives as long as it reads: a ping would only queue up behind the data. 2. Any other lives as long as
 * something is heard from it, and is given reason to speak.
 */
export function judge(signs: Signs, nowMs: number): Verdict {
  if (signs.stuckSinceMs !== null) return nowMs - signs.stuckSinceMs >= UNRESPONSIVE_MS ? 'close' : 'fine'
  if (nowMs - signs.heardAtMs >= UNRESPONSIVE_MS) return 'close'
  return nowMs - Math.max(signs.heardAtMs, signs.pingedAtMs) >= PING_AFTER_MS ? 'ping' : 'fine'
}
