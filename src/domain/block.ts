import type { Address, Hex } from './address.ts'

export interface BlockHeader {
  readonly number: number
  readonly hash: Hex
  readonly parentHash: Hex
  /** Unix seconds. */
  readonly timestamp: number
}

/** One log of a canonical block. Order within the chain is (blockNumber, logIndex). */
export interface ChainLog {
  readonly address: Address
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly blockNumber: number
  readonly blockHash: Hex
  readonly txHash: Hex
  readonly txIndex: number
  readonly logIndex: number
}

/**
 * How a batch of blocks is committed:
 *
 * - `live`: one block near the head. The commit brings every token's windows up to the block's time, and can be undone.
 * - `catchUp`: consecutive blocks with more confirmed ones after them. They are undone as one. Windows that only time has changed wait for
 *   a later commit.
 * - `range`: history, fetched by log queries. As `catchUp`, but it can't be undone, and the commit reads no token's state.
 */
export type BatchMode = 'live' | 'catchUp' | 'range'

export interface BatchBlocks {
  readonly mode: BatchMode
  readonly from: number
  /** The header of block `from`: its parent is the block that the batch follows. */
  readonly first: BlockHeader
  /** The last block: the cursor after the commit. */
  readonly to: BlockHeader
  /** The headers to keep for reconciliation, ascending: of every block, or of only the last block of a range. */
  readonly blocks: readonly BlockHeader[]
}
