import type { Address, Hex } from './address.ts'
import type { TokenSnapshot } from './tokenSnapshot.ts'

/**
 * The result of a commit, and all that the actors get from the indexer. It exists only after the transaction has committed. A commit
 * between those of blocks (of metadata) names the newest indexed block.
 */
export interface CommittedBlock {
  readonly number: number
  readonly hash: Hex
  /** Of the block, Unix seconds. */
  readonly timestamp: number
  /** When the commit completed, by `monotonicMs`: the delivery latency is counted from here. */
  readonly completedAtMs: number
  readonly tokens: readonly TokenSnapshot[]
  /** Changed tokens whose state was not read: they have no actor, or history or metadata changed them. */
  readonly unread: readonly Address[]
  /** Tokens whose launch a reorg took off the chain. */
  readonly dropped: readonly Address[]
}
