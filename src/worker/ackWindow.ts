import type { Transaction } from '#store/connection/transaction.ts'

export interface AckWindow {
  /** To be called after each message. */
  sent(): void
  /** To be called for each acknowledgement. */
  acknowledged(): void
  /** Whether everything sent is acknowledged. */
  isIdle(): boolean
  /** Delays commits while the window is full. */
  paced(transaction: Transaction): Transaction
}

/**
 * Bounds how far a sender that commits runs ahead of its receiver: with `size` messages unacknowledged, the next commit waits, as it would
 * for a slow database. Commits that are under way then still send their messages.
 */
export function createAckWindow(size: number): AckWindow {
  let unacknowledged = 0
  let waiting: (() => void)[] = []
  const room = async (): Promise<void> => {
    if (unacknowledged < size) return
    await new Promise<void>(resolve => waiting.push(resolve))
    return room()
  }
  return {
    sent: () => {
      unacknowledged++
    },
    acknowledged: () => {
      unacknowledged--
      const woken = waiting
      waiting = []
      for (const wake of woken) wake()
    },
    isIdle: () => unacknowledged === 0,
    paced: transaction => async work => {
      await room()
      return transaction(work)
    },
  }
}
