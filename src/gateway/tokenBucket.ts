/** Lets through so many a second on average and four seconds' worth at once. */
export class TokenBucket {
  readonly #perSecond: number
  readonly #burst: number
  #left: number
  #filledAtMs: number

  constructor(perSecond: number, nowMs: number) {
    this.#perSecond = perSecond
    this.#burst = perSecond * BURST_SECONDS
    this.#left = this.#burst
    this.#filledAtMs = nowMs
  }

  /** Takes one, or returns false when there is none. */
  take(nowMs: number): boolean {
    this.#left = Math.min(this.#burst, this.#left + ((nowMs - this.#filledAtMs) / 1_000) * this.#perSecond)
    this.#filledAtMs = nowMs
    if (this.#left < 1) return false
    this.#left--
    return true
  }
}

const BURST_SECONDS = 4
