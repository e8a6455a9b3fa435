import { type IndexerState, stateAfterSilence } from '#resources/indexerState.ts'
import type { IndexerReport } from './indexerReport.ts'

/** Reports come once a second, and a standby takes over within this time. */
const SILENT_AFTER_MS = 30_000
/** An indexer of which only commits are seen is alive for this long after one. */
const IDLE_AFTER_MS = 60_000

export interface IndexerStatus {
  update(report: IndexerReport): void
  /** Takes the newest block in the database. */
  committed(block: number): void
  /**
   * The newest report. When none has come for half a minute, it may no longer be true: `stalled`, unless blocks are still committed, so
   * that only the reports are lost.
   */
  state(): IndexerState
  chain(): IndexerReport['chain']
}

/** What a gateway knows of its indexer. */
export function createIndexerStatus(now: () => number): IndexerStatus {
  let newest: Pick<IndexerReport, 'state' | 'chain'> = UNKNOWN
  let updatedAtMs = now()
  let committed: { readonly block: number; readonly atMs: number | null } | null = null
  return {
    update: report => {
      newest = report
      updatedAtMs = now()
    },
    committed: block => {
      // The block that is there at the first look may be old.
      if (committed?.block !== block) committed = { block, atMs: committed === null ? null : now() }
    },
    state: () => {
      const silentMs = now() - updatedAtMs
      if (silentMs <= SILENT_AFTER_MS) return newest.state
      const state = stateAfterSilence(newest.state, 'the indexer', silentMs)
      if (committed === null || committed.atMs === null || now() - committed.atMs > IDLE_AFTER_MS) return state
      return { ...state, indexedBlock: committed.block, stalled: false, reason: UNREPORTED }
    },
    chain: () => newest.chain,
  }
}

const UNREPORTED = 'the indexer commits blocks, but its reports do not come: the database does not pass notifications on'

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
