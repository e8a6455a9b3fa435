import type { BlockHeader } from '#domain/block.ts'
import type { Commit } from './commit.ts'

/** Blocks to fetch and commit together. */
export interface BlockSpan {
  /** `range`: by log queries. `together`: each with all of its logs, committed and undone as one. `alone`: one block. */
  readonly kind: 'range' | 'together' | 'alone'
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
