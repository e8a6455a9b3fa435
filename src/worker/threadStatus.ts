import type { MetadataView } from '#jobs/metadata/metadataReader.ts'
import { stateAfterSilence } from '#resources/indexerState.ts'
import type { SyncView } from '#sync/healthReport.ts'
import type { SkippedLogs } from '#sync/skippedLogs.ts'
import type { EventLoopState } from '#telemetry/eventLoopWatch.ts'
import type { ThreadView } from './messages.ts'

/** The thread reports four times a second. One that reports nothing for this long hangs. */
const SILENT_AFTER_MS = 5_000

export interface ThreadStatus extends SyncView {
  update(view: ThreadView): void
  metadata(): MetadataView
  skippedLogs(): readonly SkippedLogs[]
  eventLoop(): EventLoopState
}

/**
 * The thread's newest report; `stalled` once the thread is silent, since the report may no longer be true.
 *
 * @param now monotonic milliseconds
 */
export function createThreadStatus(first: ThreadView, now: () => number): ThreadStatus {
  let newest = first
  let updatedAtMs = now()
  return {
    update: view => {
      newest = view
      updatedAtMs = now()
    },
    state: () => {
      const silentMs = now() - updatedAtMs
      return silentMs <= SILENT_AFTER_MS ? newest.state : stateAfterSilence(newest.state, 'the indexing thread', silentMs)
    },
    chain: () => newest.chain,
    metadata: () => newest.metadata,
    skippedLogs: () => newest.skippedLogs,
    eventLoop: () => newest.eventLoop,
  }
}
