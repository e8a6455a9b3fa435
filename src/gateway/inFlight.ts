/** Counts operations that have begun and not ended, so that a shutdown can wait for them. */
export interface InFlight {
  /** Returns a function that ends the operation; further calls of it do nothing. */
  begin(): () => void
  /** Resolves when nothing is in flight, or after the timeout. */
  drained(timeoutMs: number): Promise<void>
}

export function createInFlight(): InFlight {
  let count = 0
  let onEmpty: (() => void) | null = null
  return {
    begin() {
      count++
      let ended = false
      return () => {
        if (ended) return
        ended = true
        count--
        if (count === 0) onEmpty?.()
      }
    },
    async drained(timeoutMs) {
      if (count === 0) return
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, timeoutMs)
        onEmpty = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    },
  }
}
