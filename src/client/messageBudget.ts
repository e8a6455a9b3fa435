/** Less than what a server allows by default: 50 messages a second, with a burst of 200. */
const EACH_MS = 25
const BURST = 180

/** How many messages may still be sent over one connection: each takes its time, and so much of it may be taken in advance. */
export class MessageBudget {
  /** Until when time is taken. */
  #takenMs = Number.NEGATIVE_INFINITY

  /** Takes one message and returns 0, or returns how many ms to wait for one. */
  take(nowMs: number): number {
    const takenMs = Math.max(this.#takenMs, nowMs - BURST * EACH_MS) + EACH_MS
    if (takenMs > nowMs) return takenMs - nowMs
    this.#takenMs = takenMs
    return 0
  }
}
