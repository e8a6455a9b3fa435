import type { TokenSnapshot } from '#resources/token.ts'

/** A server that can deliver the feed. */
export interface FeedServer {
  readonly port: number
  /** Prepares a block before its commit. Returns the delivery, to be called at the commit. */
  prepare(snapshots: readonly TokenSnapshot[]): () => void
  /** Resolves when the commit is written as far as the sockets accept it. Default: written when the delivery returns. */
  written?(): Promise<void>
  /** The server's own counters, by name. */
  counters?(): Readonly<Record<string, number>>
  close(): Promise<void>
}

/** `tokenwire` is the real gateway; the others do as little as their library allows. `uws, deltas` sends the bytes of deltas. */
export type ServerKind = 'tokenwire' | 'uws' | 'uws, deltas' | 'ws' | 'socket.io'
