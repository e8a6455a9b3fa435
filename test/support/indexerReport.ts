import { type IndexerReport, UNKNOWN_INDEXER } from '#resources/health.ts'

/** What an indexer under that name says of itself when all is well. */
export function indexerReport(writer: string): IndexerReport {
  return {
    writer,
    state: {
      ...UNKNOWN_INDEXER,
      headBlock: 9,
      confirmedBlock: 8,
      indexedBlock: 7,
      lagBlocks: 1,
      lagSeconds: 2,
      headUnchangedSeconds: 0,
      backfill: null,
      reorgs: { count: 0, lastDepth: null, lastAt: null },
      rpc: [],
      stalled: false,
      reason: null,
      details: [],
    },
    chain: { headBlock: 9, blockTimeMs: 2_000, baseFeeGwei: '0.01' },
  }
}
