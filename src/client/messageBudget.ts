/** Less than what a server allows by default: 50 a second, with a burst of 200. */
const PER_SECOND = 40
const BURST = 180

/** How many messages may still be sent over one connection. */
export class MessageBudget {
  #left = BURST
  #at: number

  constructor(nowMs: number) {
    this.#at = nowMs
  }

  /** Takes one message and returns 0, or returns how many ms to wait for one. */
  take(nowMs: number): number {
    this.#left = Math.min(BURST, this.#left + ((nowMs - this.#at) * PER_SECOND) / 1_000)
    this.#at = nowMs
    if (this.#left < 1) return Math.ceil(((1 - this.#left) * 1_000) / PER_SECOND)
    this.#left--
    return 0
  }
}
