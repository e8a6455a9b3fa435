import type { Address, Hex } from './address.ts'
import type { TokenSnapshot } from './token.ts'

/**
 * The result of a commit, and the only thing that crosses from the indexer to the actors: the full state of every token that the block
 * changed, as the database holds it. It exists only after the transaction has committed. A commit between those of blocks (of metadata)
 * names the newest indexed block.
 */
export interface CommittedBlock {
  readonly number: number
  readonly hash: Hex
  /** Of the block, Unix seconds. */
  readonly timestamp: number
  /** When the commit completed, by `monotonicMs`; start of the delivery latency. */
  readonly completedAtMs: number
  readonly tokens: readonly TokenSnapshot[]
  /**
   * Tokens that were changed without reading their state: nobody watches them, or they are of a backfilled range or of new metadata, of
   * which hardly any is.
   */
  readonly unread: readonly Address[]
  /** Tokens that are no longer indexed: a reorg took their launch off the chain. */
  readonly dropped: readonly Address[]
}
