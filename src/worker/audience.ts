import { encodeBlock } from '#bus/encodedBlock.ts'
import type { Address } from '#domain/address.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import type { Transaction } from '#store/connection/transaction.ts'
import { createAckWindow } from './ackWindow.ts'
import type { FromReceiver, ThreadView, ToReceiver } from './messages.ts'

/** How many messages the main thread may leave unacknowledged: enough to go on while it is busy for a moment. */
const ACK_WINDOW = 4

/** The main thread, which receives committed blocks, at the indexing thread's end. */
export interface Audience {
  /** Takes the main thread's messages. */
  hear(message: FromReceiver): void
  isWatched(token: Address): boolean
  /** Delays commits while the main thread is too far behind. */
  paced(transaction: Transaction): Transaction
  committed(block: CommittedBlock, view: ThreadView): void
  /** Skipped while messages are unacknowledged. */
  report(view: ThreadView): void
}

export function createAudience(send: (message: ToReceiver) => void): Audience {
  const window = createAckWindow(ACK_WINDOW)
  const watched = new Set<Address>()
  const sendCounted = (message: ToReceiver) => {
    window.sent()
    send(message)
  }
  return {
    hear: message => {
      switch (message.kind) {
        case 'taken':
          window.acknowledged()
          return
        case 'watched':
          for (const token of message.ended) watched.delete(token)
          for (const token of message.began) watched.add(token)
          send({ kind: 'noted' })
          return
      }
    },
    isWatched: token => watched.has(token),
    paced: window.paced,
    committed: (block, view) => sendCounted({ kind: 'committed', block: encodeBlock(block), view }),
    report: view => {
      if (window.isIdle()) sendCounted({ kind: 'view', view })
    },
  }
}
