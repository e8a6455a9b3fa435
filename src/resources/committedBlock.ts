import type { Address, Hex } from '#domain/address.ts'
import type { TokenSnapshot } from './token.ts'

/**
 * The result of a commit, and all that the actors get from the indexer. It exists only after the transaction has committed. A job's
 * commit (of metadata, holder types or currencies) comes between the commits of blocks, and names the newest indexed block.
 */
export interface CommittedBlock {
  readonly number: number
  readonly hash: Hex
  /** The block's timestamp in Unix seconds. */
  readonly timestamp: number
  /** When the commit completed, by `monotonicMs`: the delivery latency is counted from here. */
  readonly completedAtMs: number
  readonly tokens: readonly TokenSnapshot[]
  /** Changed tokens whose state was not read: they have no actor, history or a job changed them, or a reorg changed too many. */
  readonly unread: readonly Address[]
  /** Tokens whose launch a reorg took off the chain. */
  readonly dropped: readonly Address[]
}
