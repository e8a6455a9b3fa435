import { Subject } from 'rxjs'
import { monotonicMs } from '#benchmarks/support/monotonic.ts'
import type { CommittedBlock } from '#domain/committedBlock.ts'

/*
 * Loaded into `npm start` before its own code (`--import`): reports every block that reaches the actors to the parent process. The indexing
 * thread's blocks arrive through an RxJS subject.
 */

export interface ObservedCommit {
  readonly type: 'committed'
  readonly block: number
  /** When the commit was complete, on the machine's monotonic clock. */
  readonly completedAtMs: number
  readonly sequences: readonly number[]
}

const { next } = Subject.prototype
Subject.prototype.next = function (value: unknown) {
  const nowMs = monotonicMs() - performance.now()
  next.call(this, value)
  if (!isCommittedBlock(value)) return
  const commit: ObservedCommit = {
    type: 'committed',
    block: value.number,
    completedAtMs: nowMs + value.completedAtMs,
    sequences: value.tokens.map(({ token }) => token.sequence),
  }
  // Runs after the updates are written.
  setImmediate(() => process.send?.(commit))
}

function isCommittedBlock(value: unknown): value is CommittedBlock {
  return typeof value === 'object' && value !== null && 'completedAtMs' in value && 'tokens' in value
}
