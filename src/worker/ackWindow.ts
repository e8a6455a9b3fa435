import type { Transaction } from '#store/connection/oneAtATime.ts'

/** What is sent and not taken yet. */
export interface HandOver {
  /** To be called when something was sent. */
  sent(): void
  /** To be called when the receiver has taken what was sent. */
  taken(): void
  /** Whether the receiver has taken everything. */
  isIdle(): boolean
  /** Commits with this only while the receiver is not too far behind. */
  paced(transaction: Transaction): Transaction
}

/**
 * Keeps a sender that commits at most so many messages ahead of its receiver, besides those of commits that were under way: whoever wants to
 * commit then waits, as for the database. So however long the receiver is busy, no more than that lies in between.
 */
export function createHandOver(mostAhead: number): HandOver {
  let ahead = 0
  let waiting: (() => void)[] = []
  const room = async (): Promise<void> => {
    if (ahead < mostAhead) return
    await new Promise<void>(resolve => waiting.push(resolve))
    return room()
  }
  return {
    sent: () => {
      ahead++
    },
    taken: () => {
      ahead--
      const woken = waiting
      waiting = []
      for (const wake of woken) wake()
    },
    isIdle: () => ahead === 0,
    paced: transaction => async work => {
      await room()
      return transaction(work)
    },
  }
}
