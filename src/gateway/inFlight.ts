/** Counts what has begun and not ended, so that a shutdown can wait for it. */
export class InFlight {
  #count = 0
  #onEmpty: (() => void) | null = null

  /** @returns to be called when it has ended; calling it again does nothing */
  begin(): () => void {
    this.#count++
    let ended = false
    return () => {
      if (ended) return
      ended = true
      this.#count--
      if (this.#count === 0) this.#onEmpty?.()
    }
  }

  /** Resolves when nothing is in flight, or after the time-out. */
  async drained(timeoutMs: number): Promise<void> {
    if (this.#count === 0) return
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, timeoutMs)
      this.#onEmpty = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
