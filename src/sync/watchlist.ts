import type { LogRangeQuery } from '#chain/logs/logRanges.ts'
import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'

/** Which addresses' logs are indexed; the directory of known tokens implements it. It grows with what is committed. */
export interface Watchlist extends PastWatchlist {
  /** The first block to index. */
  readonly startBlock: number
  /** The addresses and topics to query for the logs of these addresses and pool ids. */
  partsOf(keys: readonly Hex[]): LogParts
  /** The same for everything that is watched, including the launchpads' contracts, and for these addresses and pool ids. */
  partsWith(keys: readonly Hex[]): LogParts
  /** The watchlist as it was after this block. */
  upTo(block: number): PastWatchlist
}

/** Decides which of the given logs are indexed. */
export interface PastWatchlist {
  has(address: Address): boolean
  /** Whether any launchpad understands logs with this first topic. */
  isUnderstood(topic: Hex | undefined): boolean
  /** The addresses and pool ids that these logs announce and that are not watched yet: at least those that their commit will watch. */
  discover(logs: readonly ChainLog[]): readonly Hex[]
}

type LogParts = Pick<LogRangeQuery, 'addresses' | 'topics' | 'filtered'>

/** How far announcements reach in one block: a launchpad's contract announces a curve, and the curve its pool, which announces nothing. */
export const ANNOUNCING_STEPS = 2
