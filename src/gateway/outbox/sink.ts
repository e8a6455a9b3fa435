import type { Transport } from '#actors/subscription.ts'

/** `sent`: taken; `full`: taken, but no more may be written until the socket drains; `refused`: not taken, to be written again then. */
export type WriteResult = 'sent' | 'full' | 'refused'

/** A message in the form of each transport. */
export interface Written {
  readonly webSocket: Uint8Array | string
  readonly eventStream: Uint8Array | string
}

/** A connection's socket, as its outbox uses it. No method throws. */
export interface Sink {
  readonly transport: Transport
  writeFrame(frame: Written): WriteResult
  writeAnswer(text: string): WriteResult
  /** Collects the writes of `write` into one system call. Returns `false` if some data is still buffered, until the socket drains. */
  cork(write: () => void): boolean
  /** Closes the connection, since its client sends more and more messages and does not read the answers. */
  tooManyAnswers(): void
}
