import type { MetadataView } from '#jobs/metadata/metadataReader.ts'
import type { SyncView } from '#sync/healthReport.ts'
import type { EventLoopState } from '#telemetry/eventLoopWatch.ts'
import type { ThreadView } from './messages.ts'

/** A thread that says nothing for so long hangs: it speaks four times a second. */
const SILENT_AFTER_MS = 5_000

/** What the main thread knows of the indexing thread. Never waits. */
export interface ThreadStatus extends SyncView {
  /** What the thread said of itself last. */
  heard(view: ThreadView): void
  metadata(): MetadataView
  eventLoop(): EventLoopState
}

/**
 * The newest view of the thread, and that it is stalled once it has not spoken for some seconds: what it said before is then not known to be true.
 *
 * @param now monotonic milliseconds
 */
export function createThreadStatus(first: ThreadView, now: () => number): ThreadStatus {
  let newest = first
  let heardAtMs = now()
  return {
    heard: view => {
      newest = view
      heardAtMs = now()
    },
    state: () => {
      const silentMs = now() - heardAtMs
      if (silentMs <= SILENT_AFTER_MS) return newest.state
      const reason = `the indexing thread has not answered for ${Math.floor(silentMs / 1_000)} s`
      return { ...newest.state, lagBlocks: null, lagSeconds: null, headUnchangedSeconds: null, stalled: true, reason }
    },
    chain: () => newest.chain,
    metadata: () => newest.metadata,
    eventLoop: () => newest.eventLoop,
  }
}
