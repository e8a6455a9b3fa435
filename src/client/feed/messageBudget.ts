/** Below the server's default limit of 50 messages a second with a burst of 200. */
const MESSAGE_MS = 25
const BURST = 180

/** Paces the messages of one connection: a token bucket that refills with one message per `MESSAGE_MS`, up to `BURST`. */
export class MessageBudget {
  #usedUntilMs = Number.NEGATIVE_INFINITY

  /** Takes one message from the bucket and returns 0, or returns the ms to wait until there is one. */
  take(nowMs: number): number {
    const usedUntilMs = Math.max(this.#usedUntilMs, nowMs - BURST * MESSAGE_MS) + MESSAGE_MS
    if (usedUntilMs > nowMs) return usedUntilMs - nowMs
    this.#usedUntilMs = usedUntilMs
    return 0
  }
}
