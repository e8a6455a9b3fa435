import type { BlockHeader } from '#domain/block.ts'
import type { ProjectedBatch } from './batch.ts'
import type { Replacement } from './fetch/replacement.ts'

/** Something to commit. Repeated after a failure, it changes nothing more and gives the same result. */
export type Commit =
  | { readonly kind: 'batch'; readonly to: BlockHeader; readonly batch: ProjectedBatch }
  /** `depth`: how many indexed blocks are replaced. */
  | { readonly kind: 'replace'; readonly to: BlockHeader; readonly replacement: Replacement; readonly depth: number }
  /** Brings what time alone changes up to the cursor. */
  | { readonly kind: 'settle'; readonly to: BlockHeader }
