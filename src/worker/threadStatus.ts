import type { MetadataView } from '#jobs/metadata/metadataReader.ts'
import type { SyncView } from '#sync/healthReport.ts'
import type { EventLoopState } from '#telemetry/eventLoopWatch.ts'
import type { ThreadView } from './messages.ts'

/** The thread reports four times a second. One that reports nothing for this long hangs. */
const SILENT_AFTER_MS = 5_000

export interface ThreadStatus extends SyncView {
  update(view: ThreadView): void
  metadata(): MetadataView
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
      if (silentMs <= SILENT_AFTER_MS) return newest.state
      const reason = `the indexing thread has not answered for ${Math.floor(silentMs / 1_000)} s`
      return { ...newest.state, lagBlocks: null, lagSeconds: null, headUnchangedSeconds: null, stalled: true, reason }
    },
    chain: () => newest.chain,
    metadata: () => newest.metadata,
    eventLoop: () => newest.eventLoop,
  }
}
