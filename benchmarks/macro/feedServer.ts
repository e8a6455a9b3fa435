import type { TokenSnapshot } from '#domain/token.ts'

/** A server as the feed sees it. */
export interface FeedServer {
  readonly port: number
  /** Makes what exists before a block is committed. What it returns is the delivery, to be called at the commit. */
  prepare(snapshots: readonly TokenSnapshot[]): () => void
}
