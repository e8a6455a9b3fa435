import type { FeedBlocks } from './feed.ts'
import type { ServerKind } from './feedServer.ts'

export interface CommitReport {
  /** When the commit was complete, on the machine's monotonic clock. If the server was too busy to commit in time: when it was due. */
  readonly committedAtMs: number
}

export interface Usage {
  /** User and system time of the process since its start. */
  readonly cpuMs: number
  readonly rssBytes: number
  /** With the buffers outside V8's heap. */
  readonly heapBytes: number
  readonly counters: Readonly<Record<string, number>>
}

export interface ServerCalls {
  /** Serves on a free port of the loopback interface. */
  listen(kind: ServerKind): Promise<{ readonly port: number }>
  /** Prepares the blocks before the measurement starts. Replaces earlier preparations. */
  prepare(blocks: FeedBlocks): void
  /** Commits the next `count` prepared blocks, one each `everyMs`, whether or not the previous block was delivered. */
  commit(plan: { readonly count: number; readonly everyMs: number }): Promise<readonly CommitReport[]>
  /** @param options.collect whether a garbage collection comes first */
  usage(options: { readonly collect: boolean }): Usage
}
