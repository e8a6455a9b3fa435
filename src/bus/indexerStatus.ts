import { type IndexerState, stateAfterSilence } from '#resources/indexerState.ts'
import type { IndexerReport } from './indexerReport.ts'

/** Reports come once a second, and a standby takes over within this time. */
const SILENT_AFTER_MS = 30_000

export interface IndexerStatus {
  update(report: IndexerReport): void
  /** The newest report; `stalled` when none has come for half a minute, since the report may no longer be true. */
  state(): IndexerState
  chain(): IndexerReport['chain']
}

/** What a gateway knows of its indexer. */
export function createIndexerStatus(now: () => number): IndexerStatus {
  let newest: Pick<IndexerReport, 'state' | 'chain'> = UNKNOWN
  let updatedAtMs = now()
  return {
    update: report => {
      newest = report
      updatedAtMs = now()
    },
    state: () => {
      const silentMs = now() - updatedAtMs
      return silentMs <= SILENT_AFTER_MS ? newest.state : stateAfterSilence(newest.state, 'the indexer', silentMs)
    },
    chain: () => newest.chain,
  }
}

const UNKNOWN: Pick<IndexerReport, 'state' | 'chain'> = {
  state: {
    headBlock: null,
    confirmedBlock: null,
    indexedBlock: null,
    lagBlocks: null,
    lagSeconds: null,
    headUnchangedSeconds: null,
    backfill: null,
    reorgs: { count: 0, lastDepth: null, lastAt: null },
    rpc: [],
    stalled: false,
    reason: null,
    details: [],
  },
  chain: { headBlock: null, blockTimeMs: null, baseFeeGwei: null },
}
