import type { ChainTip } from '#chain/chainTips.ts'
import type { Hex } from '#domain/address.ts'
import type { BlockHeader } from '#domain/block.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import type { BlockSpan, ProjectedBatch } from './batch.ts'
import type { Replacement } from './fetch/replacement.ts'

/** What to do next. */
export type Action =
  | { readonly kind: 'readCursor' }
  | { readonly kind: 'repeatCommit'; readonly commit: Commit }
  | { readonly kind: 'compareCursor'; readonly cursor: BlockHeader }
  | { readonly kind: 'verifyTip' }
  | { readonly kind: 'verifyStart' }
  | { readonly kind: 'replaceBlocks' }
  | { readonly kind: 'index'; readonly span: BlockSpan }
  | { readonly kind: 'settle'; readonly at: BlockHeader }
  /** There is nothing to do before the next tip. `chainIsShorter`: the chain ends below the cursor. */
  | { readonly kind: 'wait'; readonly because: 'indexed' | 'chainIsShorter' }

/** Something to commit. Repeated after a failure, it changes nothing more and gives the same result. */
export type Commit =
  | { readonly kind: 'batch'; readonly to: BlockHeader; readonly batch: ProjectedBatch }
  /** `depth`: how many indexed blocks are replaced. */
  | { readonly kind: 'replace'; readonly to: BlockHeader; readonly replacement: Replacement; readonly depth: number }
  /** Brings everything that time alone changes up to the time of the cursor. */
  | { readonly kind: 'settle'; readonly to: BlockHeader }

/** What happened. State and health follow from events alone. */
export type SyncEvent =
  /** The end of the chain is being asked for. */
  | { readonly kind: 'polling' }
  | { readonly kind: 'tip'; readonly tip: ChainTip }
  | { readonly kind: 'tipFailed'; readonly error: unknown }
  /** What is done next. */
  | { readonly kind: 'decided'; readonly action: Action; readonly tip: ChainTip }
  /** The cursor was read from the database: the newest indexed blocks, the cursor last. */
  | { readonly kind: 'cursorRead'; readonly blocks: readonly BlockHeader[] }
  /** The chain was asked for the block at the cursor's height, below this head. */
  | { readonly kind: 'cursorCompared'; readonly head: Hex; readonly isReplaced: boolean }
  /** A second answer has shown the tip's confirmed block. */
  | { readonly kind: 'tipVerified'; readonly confirmed: Hex }
  /** A second answer has shown the block with which the index begins, together with the chain's first block. */
  | { readonly kind: 'startVerified'; readonly block: BlockHeader }
  /** The next block of the chain does not follow the cursor. */
  | { readonly kind: 'forked' }
  /** `blocks`: the indexed blocks to remember after the commit, the cursor last. */
  | { readonly kind: 'committed'; readonly commit: Commit; readonly block: CommittedBlock; readonly blocks: readonly BlockHeader[] }
  /** A commit failed. It may be in the database. */
  | { readonly kind: 'commitFailed'; readonly commit: Commit }
  /** A step failed, for the n-th time in a row (`attempt`, from 1), and is repeated. */
  | { readonly kind: 'failed'; readonly error: unknown; readonly attempt: number; readonly retryInMs: number }
  /** Indexing has ended: only a person can mend what is wrong. */
  | { readonly kind: 'gaveUp'; readonly error: unknown }
