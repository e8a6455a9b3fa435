import type { Address } from '#domain/address.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import type { TokenSnapshot } from '#resources/tokenSnapshot.ts'

/** Announced commits that are not passed on yet, merged into one: only the newest state of each token matters. */
export interface PendingCommits {
  readonly newest: AnnouncedCommit
  /** When the first of them arrived. */
  readonly sinceMs: number
  /** `null`: any token may have changed. */
  readonly changed: ReadonlySet<Address> | null
  readonly dropped: ReadonlySet<Address>
  /** The states of changed tokens that came with the announcement. The others are to be read. */
  readonly states: ReadonlyMap<Address, TokenSnapshot>
}

export const NO_STATES: PendingCommits['states'] = new Map()

/** The last block of a commit, and the number of the commit as `commit`. */
export type AnnouncedCommit = Pick<CommittedBlock, 'number' | 'hash' | 'timestamp'> & { readonly commit: number }

/** Most tokens kept. With more, it is cheaper to compare all watched tokens with the database. */
const MAX_KEPT = 20_000

/** @param later arrived after `earlier`; both may be the same attempt, put back after a failure */
export function mergePending(earlier: PendingCommits | null, later: PendingCommits): PendingCommits {
  if (earlier === null) return later
  const newest = later.newest.commit >= earlier.newest.commit ? later.newest : earlier.newest
  const { sinceMs } = earlier
  if (earlier.changed === null || later.changed === null) return { newest, sinceMs, changed: null, dropped: new Set(), states: NO_STATES }
  const changed = new Set(earlier.changed)
  const dropped = new Set(earlier.dropped)
  const states = new Map(earlier.states)
  for (const token of later.changed) {
    changed.add(token)
    dropped.delete(token)
    const state = later.states.get(token)
    if (state === undefined) states.delete(token)
    else states.set(token, state)
  }
  for (const token of later.dropped) {
    changed.delete(token)
    states.delete(token)
    dropped.add(token)
  }
  if (changed.size + dropped.size > MAX_KEPT) return { newest, sinceMs, changed: null, dropped: new Set(), states: NO_STATES }
  return { newest, sinceMs, changed, dropped, states }
}
