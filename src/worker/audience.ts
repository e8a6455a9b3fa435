import { encodeBlock } from '#bus/encodedBlock.ts'
import type { Address } from '#domain/address.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import type { Transaction } from '#store/connection/transaction.ts'
import { type AckWindow, createAckWindow } from './ackWindow.ts'
import type { FromReceiver, ThreadView, ToReceiver } from './messages.ts'

/** How many messages a receiver may leave unacknowledged: enough to go on while it is busy for a moment. */
const ACK_WINDOW = 4

interface Receiver {
  readonly send: (message: ToReceiver) => void
  readonly window: AckWindow
  readonly watched: Set<Address>
}

/** The threads that receive committed blocks, at the indexing thread's end. */
export interface Audience {
  /** @returns the function that takes the receiver's messages */
  add(send: (message: ToReceiver) => void): (message: FromReceiver) => void
  /** Whether any receiver watches the token. */
  isWatched(token: Address): boolean
  /** Delays commits while any receiver is too far behind. */
  paced(transaction: Transaction): Transaction
  committed(block: CommittedBlock, view: ThreadView): void
  /** Skipped for a receiver with unacknowledged messages. */
  report(view: ThreadView): void
}

export function createAudience(): Audience {
  const receivers: Receiver[] = []
  const send = ({ window, send }: Receiver, message: ToReceiver) => {
    window.sent()
    send(message)
  }
  return {
    add: send => {
      const receiver: Receiver = { send, window: createAckWindow(ACK_WINDOW), watched: new Set() }
      const { window, watched } = receiver
      receivers.push(receiver)
      return message => {
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
      }
    },
    isWatched: token => receivers.some(({ watched }) => watched.has(token)),
    paced: transaction => work => receivers.reduce((paced, { window }) => window.paced(paced), transaction)(work),
    committed: (block, view) => {
      const message: ToReceiver = { kind: 'committed', block: encodeBlock(block), view }
      for (const receiver of receivers) send(receiver, message)
    },
    report: view => {
      for (const receiver of receivers) if (receiver.window.isIdle()) send(receiver, { kind: 'view', view })
    },
  }
}
