import type { Hex } from '#domain/address.ts'
import type { BatchBlocks, BatchMode } from '#domain/batch.ts'
import type { BlockHeader, ChainLog } from '#domain/block.ts'
import type { Decoded } from '#index/decode.ts'
import type { IndexedSource } from '#launchpads/logSource.ts'
import type { NextBatch } from '#store/commit.ts'

/** Consecutive blocks for one batch. */
export interface BlockSpan {
  readonly mode: BatchMode
  readonly from: number
  /** The last block at most. */
  readonly to: number
}

/** A batch as the chain showed it. */
export interface FetchedBatch extends BatchBlocks {
  /** The headers of the blocks that have logs in `logs`, ascending. */
  readonly headers: readonly BlockHeader[]
  /** The understood logs of watched addresses and of addresses that this batch announces, ascending by (block, log index). */
  readonly logs: readonly ChainLog[]
  /** Addresses and pool ids that the logs announce. */
  readonly announced: readonly Hex[]
}

/** A batch with the meaning of its logs. The logs themselves are no longer held. */
export interface DecodedBatch extends BatchBlocks, Decoded {
  readonly logCount: number
}

/** A batch with the rows that its commit writes. */
export interface ProjectedBatch extends NextBatch {
  readonly logCount: number
  /** Added to the directory after the commit. */
  readonly discoveries: readonly IndexedSource[]
}
