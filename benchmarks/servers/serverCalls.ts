import type { FeedBlocks } from './feed.ts'
import type { ServerKind } from './feedServer.ts'

export interface ListenRequest {
  readonly kind: ServerKind
  readonly compress: boolean
  readonly tls: boolean
}

export interface CommitReport {
  /** When the commit was complete, on the machine's monotonic clock; of one that the server was too busy for, when it was due. */
  readonly committedAtMs: number
  /** Behind its time in the plan: how late the timer was. */
  readonly lateMs: number
  /** Until the event loop was free again: everything that is done for all connections, but what waits for slow readers. */
  readonly turnMs: number
}

export interface Usage {
  /** Of the process, user and system, since its start. */
  readonly cpuMs: number
  readonly rssBytes: number
  /** After a collection. */
  readonly heapBytes: number
  readonly counters: Readonly<Record<string, number>>
}

export interface ServerCalls {
  /** Serves on a free port of the loopback interface. */
  listen(request: ListenRequest): Promise<{ readonly port: number; readonly pid: number }>
  /** Makes what exists before the commits: done before any clock starts. Replaces what was prepared before. */
  prepare(blocks: FeedBlocks): void
  /** Commits the next `count` prepared blocks, each `everyMs` after the one before whether or not that is delivered: late is late. */
  commit(plan: { readonly count: number; readonly everyMs: number }): Promise<readonly CommitReport[]>
  usage(options: { readonly collect: boolean }): Usage
  close(argument: null): Promise<void>
}
