import type { Committer } from '#sync/committer.ts'
import type { Cursor } from './simulatedIndex.ts'

/** A committer that remembers the cursor at the start of its process. */
export interface StartingCursor {
  readonly committer: Committer
  /**
   * `null`: nothing was indexed, or not read yet. Blocks up to it are not emitted any more, because the process that committed them has
   * ended. All later blocks are emitted, even if their commits are repeated. A test that waits for an update needs no look into the
   * database, where a commit is visible before it is emitted.
   */
  startedAt(): Cursor | null
}

export function rememberStart(committer: Committer): StartingCursor {
  let startedAt: Cursor | null | undefined
  return {
    committer: {
      ...committer,
      recentBlocks: async () => {
        const blocks = await committer.recentBlocks()
        if (startedAt === undefined) startedAt = blocks.at(-1) ?? null
        return blocks
      },
    },
    startedAt: () => startedAt ?? null,
  }
}
