import type { IndexerHealth, IndexingHealth, LaunchpadProgress } from './health.ts'

/** Why the database fails. */
export interface DatabaseCause {
  /** The kind of cause. Public. */
  readonly shown: string
  /** For operators: the kind, what to do, and the server's own words, which are to be redacted. */
  readonly full: string
}

/** The state of indexing as the indexer reports it. */
export interface IndexerState extends IndexingHealth {
  readonly headBlock: number | null
  readonly confirmedBlock: number | null
  readonly indexedBlock: number | null
  /** `null` when no provider shows a newest block; absent: not known here. */
  readonly headUnchangedSeconds?: number | null
  /** True when nothing is indexed though the chain moves, or indexing has stopped for good. */
  readonly stalled: boolean
  /** Why it is stalled or degraded, in this service's own words, since it is public. */
  readonly reason: string | null
  /** The launchpads that are built or removed now. Absent: not known here. */
  readonly launchpads?: readonly LaunchpadProgress[]
  /** What is wrong besides, though indexing goes on, in this service's own words. Absent: not known here. */
  readonly problems?: readonly string[]
  /** What can not be verified, though nothing is broken, in this service's own words. Absent: not known here. */
  readonly warnings?: readonly string[]
  /** For operators: includes the messages of providers and the database, without secrets. Absent: not known here. */
  readonly details?: readonly string[]
}

/** The last state of an indexer that has been silent for so long that the state may no longer be true. */
export function stateAfterSilence(last: IndexerState, who: string, silentMs: number): IndexerState {
  const reason = `${who} has not answered for ${Math.floor(silentMs / 1_000)} s`
  return { ...last, lagBlocks: null, lagSeconds: null, headUnchangedSeconds: null, stalled: true, reason }
}

export interface OperatorHealth extends IndexerHealth {
  /** The problems, with the messages of providers and the database, without secrets. */
  readonly details: readonly string[]
}
