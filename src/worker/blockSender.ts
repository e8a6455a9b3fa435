import { encodeBlock } from '#bus/blockFeed.ts'
import type { Address } from '#domain/address.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import type { IndexerState } from '#resources/health.ts'
import type { Transaction } from '#store/connection/transaction.ts'
import type { Redactor } from '#telemetry/redactor.ts'
import type { FromReceiver, ThreadView, ToReceiver } from './messages.ts'

/** How many messages the main thread may leave unacknowledged: enough to go on while it is busy for a moment. */
const ACK_WINDOW = 4

/** The indexing thread's end of the messages by which it hands committed blocks to the main thread. */
export function createBlockSender(send: (message: ToReceiver) => void) {
  const window = createAckWindow(ACK_WINDOW)
  const watched = new Set<Address>()
  const sendCounted = (message: ToReceiver) => {
    window.sent()
    send(message)
  }
  return {
    receive: (message: FromReceiver): void => {
      switch (message.kind) {
        case 'received':
          window.acknowledged()
          return
        case 'watched':
          for (const token of message.ended) watched.delete(token)
          for (const token of message.began) watched.add(token)
          send({ kind: 'watchedReceived' })
          return
      }
    },
    isWatched: (token: Address): boolean => watched.has(token),
    delayed: window.delayed,
    committed: (block: CommittedBlock, view: ThreadView): void => sendCounted({ kind: 'committed', block: encodeBlock(block), view }),
    /** Skipped while messages are unacknowledged. */
    report: (view: ThreadView): void => {
      if (window.isIdle()) sendCounted({ kind: 'view', view })
    },
  }
}

interface AckWindow {
  /** To be called after each message. */
  sent(): void
  /** To be called for each acknowledgement. */
  acknowledged(): void
  /** Whether everything sent is acknowledged. */
  isIdle(): boolean
  /** Delays commits while the window is full. */
  delayed(transaction: Transaction): Transaction
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
    delayed: transaction => async work => {
      await room()
      return transaction(work)
    },
  }
}

/** A detail may quote a whole statement or page. */
const MAX_CHARACTERS = 500

/** The state as it may leave the thread that has the secrets: no detail holds one, or is longer than 500 characters. */
export function redactDetails(state: IndexerState, redactor: Pick<Redactor, 'text'>): IndexerState {
  // A detail is cut after its secrets are hidden: half a secret would not be found.
  return { ...state, details: state.details.map(detail => redactor.text(detail).slice(0, MAX_CHARACTERS)) }
}
