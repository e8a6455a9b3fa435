import type { LogRangeQuery } from '#chain/logs/logRanges.ts'
import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'

/** Which addresses' logs are indexed; the directory of known tokens implements it. It grows with what is committed. */
export interface Watchlist {
  /** The first block to index. */
  readonly startBlock: number
  has(address: Address): boolean
  /** Every watched address, the launchpads' contracts included. */
  addresses(): readonly Address[]
  /** The ids of pools inside a Uniswap v4 PoolManager, which have no address. */
  poolIds(): readonly Hex[]
  /** Whether any launchpad understands logs with this first topic. */
  isUnderstood(topic: Hex | undefined): boolean
  /** The addresses and topics to query for the logs of these addresses and pool ids. */
  partsOf(keys: readonly Hex[]): Pick<LogRangeQuery, 'addresses' | 'topics' | 'filtered'>
  /** The addresses and pool ids that these logs announce and that are not watched yet: at least those that their commit will watch. */
  discover(logs: readonly ChainLog[]): readonly Hex[]
  /** As it was after this block. */
  upTo(block: number): Watchlist
}

/** How far announcements reach in one block: a launchpad's contract announces a curve, and the curve its pool, which announces nothing. */
export const ANNOUNCING_STEPS = 2
