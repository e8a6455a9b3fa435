import type { TokenSnapshot } from '#domain/token.ts'

/** A server as the feed sees it. */
export interface FeedServer {
  readonly port: number
  /** Makes what exists before a block is committed. What it returns is the delivery, to be called at the commit. */
  prepare(snapshots: readonly TokenSnapshot[]): () => void | Promise<void>
  /** Resolves when what was committed is written, as far as the sockets take it. Without: it is when the delivery returns. */
  written?(): Promise<void>
  /** Of a server that is a process of its own. */
  readonly pid?: number
  /** Counters of its own, by name. */
  counters?(): Readonly<Record<string, number>>
  close(): Promise<void>
}

/** What serves. `tokenwire` is the real gateway; the others do as little as their library lets them. */
export type ServerKind = 'tokenwire' | 'uws-send' | 'uws-publish' | 'uws-cork' | 'ws' | 'socket.io' | 'nats' | 'nchan'
