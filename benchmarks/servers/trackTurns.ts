/** How a gateway's flush yields, and when everything that it had to write is written as far as the sockets accept it. */
export function trackTurns() {
  /** Resolves after the turn of the flush that is running. */
  let turn = Promise.resolve()
  return {
    yieldTo: (flush: () => void): void => {
      turn = new Promise(resolve => {
        setImmediate(() => {
          flush()
          resolve()
        })
      })
    },
    written: async (): Promise<void> => {
      for (let seen: unknown = null; seen !== turn; ) {
        seen = turn
        await turn
      }
    },
  }
}
