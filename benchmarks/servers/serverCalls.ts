import type { FeedBlocks } from './feed.ts'
import type { ServerKind } from './feedServer.ts'

export interface ListenRequest {
  readonly kind: ServerKind
  readonly compress: boolean
  readonly tls: boolean
}

export interface CommitReport {
  /** When the commit was complete, on the machine's monotonic clock. If the server was too busy to commit in time: when it was due. */
  readonly committedAtMs: number
  /** How late the timer was. */
  readonly lateMs: number
  /** Until the event loop was free again: the work for all connections, without what waits for slow readers. */
  readonly turnMs: number
}

export interface Usage {
  /** User and system time of the process since its start. */
  readonly cpuMs: number
  readonly rssBytes: number
  /** After a garbage collection. */
  readonly heapBytes: number
  readonly counters: Readonly<Record<string, number>>
}

export interface ServerCalls {
  /** Serves on a free port of the loopback interface. */
  listen(request: ListenRequest): Promise<{ readonly port: number; readonly pid: number }>
  /** Prepares the blocks before the measurement starts. Replaces earlier preparations. */
  prepare(blocks: FeedBlocks): void
  /** Commits the next `count` prepared blocks, one each `everyMs`, whether or not the previous block was delivered. */
  commit(plan: { readonly count: number; readonly everyMs: number }): Promise<readonly CommitReport[]>
  usage(options: { readonly collect: boolean }): Usage
  close(argument: null): Promise<void>
}
