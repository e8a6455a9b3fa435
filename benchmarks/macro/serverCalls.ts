/** What serves: the real gateway, or uWebSockets.js with as little around it as can be. */
export type ServerKind = 'tokenwire' | 'sendLoop' | 'corkedLoop'

/** Blocks of the feed to commit. */
export interface FeedPlan {
  readonly firstBlock: number
  readonly blocks: number
  readonly tokens: number
  /** Between the beginnings of two, whether or not the one before is delivered: late is late. */
  readonly everyMs: number
}

export interface CommitReport {
  /** When the commit was complete, on the machine's monotonic clock. */
  readonly committedAtMs: number
  /** Behind its time in the plan: how late the timer was. */
  readonly lateMs: number
  /** Until the event loop was free again: everything that is done for all connections, but what waits for slow readers. */
  readonly turnMs: number
}

export interface FeedReport {
  readonly commits: readonly CommitReport[]
  /** Of the process, user and system, over the whole plan with its pauses. */
  readonly cpuMs: number
}

export interface ServerCalls {
  /** Serves on a free port of the loopback interface. */
  listen(kind: ServerKind): Promise<{ readonly port: number }>
  feed(plan: FeedPlan): Promise<FeedReport>
}
