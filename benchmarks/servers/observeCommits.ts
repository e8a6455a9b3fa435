import { BroadcastChannel, isMainThread } from 'node:worker_threads'
import { Subject } from 'rxjs'
import { monotonicMs } from '#benchmarks/support/monotonic.ts'
import type { CommittedBlock } from '#domain/committedBlock.ts'

/*
 * Loaded into every thread of `npm start` before its own code (`--import`): reports each commit to the parent process. The indexing thread
 * emits its commits through an RxJS subject; the main thread, which alone has a channel to the parent process, passes the reports on.
 */

export interface ObservedCommit {
  readonly type: 'committed'
  readonly block: number
  /** When the indexing thread had the database's answer to the commit, on the machine's monotonic clock. */
  readonly committedAtMs: number
  /** Of the tokens whose state the commit read. */
  readonly sequences: readonly number[]
}

const reports = new BroadcastChannel('commits of a benchmark')
reports.unref()

if (isMainThread) {
  reports.onmessage = message => void process.send?.((message as { readonly data: ObservedCommit }).data)
} else {
  const { next } = Subject.prototype
  Subject.prototype.next = function (value: unknown) {
    const committedAtMs = monotonicMs()
    next.call(this, value)
    if (!isCommittedBlock(value)) return
    const sequences = value.tokens.map(({ token }) => token.sequence)
    const report: ObservedCommit = { type: 'committed', block: value.number, committedAtMs, sequences }
    // Runs after the block was handed on.
    setImmediate(() => reports.postMessage(report))
  }
}

/** Blocks that are handed to other threads have no `tokens` but their text. */
function isCommittedBlock(value: unknown): value is CommittedBlock {
  return typeof value === 'object' && value !== null && 'completedAtMs' in value && 'tokens' in value
}
