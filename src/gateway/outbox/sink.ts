import type { Transport } from '#actors/subscription.ts'

/** `sent`: write more; `full`: taken, but write nothing more until the socket drains; `refused`: not taken, write it again after that. */
export type WriteResult = 'sent' | 'full' | 'refused'

/** A message in the form of each transport. */
export interface Written {
  readonly webSocket: Uint8Array | string
  readonly eventStream: Uint8Array | string
}

/** A connection's socket, as its outbox writes to it. Nothing throws. */
export interface Sink {
  readonly transport: Transport
  writeFrame(frame: Written): WriteResult
  writeAnswer(text: string): WriteResult
  /** Collects the writes of `write` into one system call. Returns false when some data is still buffered: wait until the socket drains. */
  cork(write: () => void): boolean
  /** The client keeps sending messages and does not read the answers. Closes the connection. */
  tooManyAnswers(): void
}
