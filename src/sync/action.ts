import type { BatchMode } from '#domain/batch.ts'
import type { BlockHeader } from '#domain/block.ts'
import type { Commit } from './commit.ts'

/** Consecutive blocks for one batch. */
export interface BlockSpan {
  readonly mode: BatchMode
  readonly from: number
  /** The last block at most. */
  readonly to: number
}

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
  /** Nothing before the next tip. `chainIsShorter`: the chain ends below the cursor. */
  | { readonly kind: 'wait'; readonly because: 'indexed' | 'chainIsShorter' }
