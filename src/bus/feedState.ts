import { type AnnouncedCommit, mergePending, NO_STATES, type PendingCommits } from './pendingCommits.ts'

/** What a feed of the database knows. */
export interface FeedState {
  /** Commits that are not passed on yet, merged into one. */
  readonly pending: PendingCommits | null
  /** Commits whose states are being read. */
  readonly underWay: PendingCommits | null
  /** All watched tokens have to be compared with the database at the next beat: an announcement may have been missed. */
  readonly mustCompare: boolean
  /** The newest commit that was announced. */
  readonly newestAnnounced: number
  /** The newest commit in the database at the last beat. Its announcement should arrive before the next beat. */
  readonly committed: number
  /** Whether a commit was announced since the last beat that found an unannounced one. */
  readonly hasAnnounced: boolean
  /** The database has commits, and the carrier announces none. */
  readonly isSilent: boolean
  /** The block that was passed on last, and the newest one that the indexer has reported; `null`: none yet. */
  readonly passedBlock: number | null
  readonly indexedBlock: number | null
}

export type FeedEvent =
  | { readonly type: 'announced'; readonly commits: PendingCommits }
  /** Announcements may have been missed: the database is listened to anew, or a message was ignored. */
  | { readonly type: 'missed' }
  /** The same, since the carrier lost some or is connected anew: it does not count as silent any more. */
  | { readonly type: 'carrierLost' }
  | { readonly type: 'reported'; readonly indexedBlock: number | null }
  /** The database's newest commit was read, about once a second. */
  | { readonly type: 'beat'; readonly newest: AnnouncedCommit; readonly nowMs: number }
  /** The pending commits are being passed on; this has succeeded; this has failed, and they are pending again. */
  | { readonly type: 'taken' }
  | { readonly type: 'passed' }
  | { readonly type: 'failed' }

/** Before it has listened, a feed has missed everything. */
export const NOTHING_HEARD: FeedState = {
  pending: null,
  underWay: null,
  mustCompare: true,
  newestAnnounced: 0,
  committed: 0,
  hasAnnounced: false,
  isSilent: false,
  passedBlock: null,
  indexedBlock: null,
}

export function afterFeedEvent(state: FeedState, event: FeedEvent): FeedState {
  switch (event.type) {
    case 'announced': {
      const newestAnnounced = Math.max(state.newestAnnounced, event.commits.newest.commit)
      const pending = mergePending(state.pending, event.commits)
      return { ...state, pending, newestAnnounced, hasAnnounced: true, isSilent: false }
    }
    case 'missed':
      return { ...state, mustCompare: true }
    case 'carrierLost':
      return { ...state, mustCompare: true, isSilent: false }
    case 'reported':
      return { ...state, indexedBlock: event.indexedBlock }
    case 'beat':
      return afterBeat(state, event)
    case 'taken':
      return { ...state, pending: null, underWay: state.pending }
    case 'passed':
      return { ...state, underWay: null, passedBlock: state.underWay?.newest.number ?? state.passedBlock }
    case 'failed':
      return { ...state, pending: putBack(state), underWay: null }
  }
}

function afterBeat(state: FeedState, { newest, nowMs }: Extract<FeedEvent, { type: 'beat' }>): FeedState {
  // A forged announcement must not hide commits that are still to come.
  const newestAnnounced = Math.min(state.newestAnnounced, newest.commit)
  const committed = newest.commit
  const isUnannounced = !state.mustCompare && state.committed > newestAnnounced
  if (!state.mustCompare && !isUnannounced) return { ...state, newestAnnounced, committed }
  const compareAll: PendingCommits = { newest, sinceMs: nowMs, changed: null, dropped: new Set(), states: NO_STATES }
  const compared = { ...state, pending: mergePending(state.pending, compareAll), mustCompare: false, newestAnnounced: committed, committed }
  return isUnannounced ? { ...compared, isSilent: !state.hasAnnounced, hasAnnounced: false } : compared
}

function putBack({ underWay, pending }: FeedState): PendingCommits | null {
  if (underWay === null || pending === null) return underWay ?? pending
  return mergePending(underWay, pending)
}
