import { describe, expect, it } from 'vitest'
import { NO_STATES, type PendingCommits } from '#bus/blockFeed.ts'
import { afterFeedEvent, type FeedEvent, type FeedState, NOTHING_HEARD } from '#bus/databaseFeed.ts'
import { addressOf, hashOf } from '#test/support/snapshots.ts'

const commitOf = (commit: number) => ({ commit, number: 100 + commit, hash: hashOf(commit), timestamp: commit })
const beat = (commit: number): FeedEvent => ({ type: 'beat', newest: commitOf(commit), nowMs: commit })
const announced = (commit: number): FeedEvent => {
  const changed = new Set([addressOf(commit)])
  const commits: PendingCommits = { newest: commitOf(commit), sinceMs: commit, changed, dropped: new Set(), states: NO_STATES }
  return { type: 'announced', commits }
}
const [taken, passed, failed, missed]: readonly FeedEvent[] = [
  { type: 'taken' },
  { type: 'passed' },
  { type: 'failed' },
  { type: 'missed' },
] as const

const after = (state: FeedState, ...events: readonly (FeedEvent | undefined)[]) =>
  events.reduce<FeedState>((current, event) => (event === undefined ? current : afterFeedEvent(current, event)), state)

/** It has compared all, and passed commit 5 on. */
const UP_TO_DATE = after(NOTHING_HEARD, beat(5), taken, passed)

const changedOf = ({ pending }: FeedState) => pending && (pending.changed === null ? 'all' : [...pending.changed])

describe('what a feed of the database knows', () => {
  it('begins with a comparison of all watched tokens', () => {
    expect(changedOf(after(NOTHING_HEARD, beat(5)))).toBe('all')
    expect(UP_TO_DATE).toMatchObject({ pending: null, underWay: null, passedBlock: 105, mustCompare: false })
  })

  it('merges commits that are announced while others are passed on, and puts back those that failed', () => {
    const busy = after(UP_TO_DATE, announced(6), taken, announced(7))
    expect(changedOf(busy)).toEqual([addressOf(7)])
    expect(changedOf(after(busy, failed))).toEqual([addressOf(6), addressOf(7)])
    expect(after(busy, passed)).toMatchObject({ passedBlock: 106, underWay: null })
  })

  it('compares all when a commit is not announced within a beat, and is silent from the second time on', () => {
    const late = after(UP_TO_DATE, announced(6), beat(7))
    expect(changedOf(late)).toEqual([addressOf(6)])
    const first = after(late, beat(7))
    expect([changedOf(first), first.isSilent]).toEqual(['all', false])
    const second = after(first, beat(8), beat(8))
    expect(second.isSilent).toBe(true)
    expect(after(second, announced(9)).isSilent).toBe(false)
    expect(after(second, { type: 'carrierLost' })).toMatchObject({ isSilent: false, mustCompare: true })
    expect(after(second, missed)).toMatchObject({ isSilent: true, mustCompare: true })
  })

  it('does not believe an announcement of a commit that the database does not have', () => {
    const forged = after(UP_TO_DATE, announced(1_000), taken, passed, beat(6), beat(6))
    expect(changedOf(forged)).toBeNull()
    expect(changedOf(after(forged, beat(7), beat(7)))).toBe('all')
  })
})
