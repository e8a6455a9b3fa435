import type { Committer } from '#sync/committer.ts'
import type { Cursor } from './simulatedIndex.ts'

/** A committer that remembers where the database stood when its process began. */
export interface StartingCursor {
  readonly committer: Committer
  /**
   * `null`: nothing was indexed, or it has not asked yet. What was indexed then is told by nobody any more: the process that committed it has ended. Everything
   * after it is told, however often its commit has to be repeated, so whoever waits for an update need not look into the database, where a
   * commit shows before it is told.
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
