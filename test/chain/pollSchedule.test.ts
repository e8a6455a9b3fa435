import { describe, expect, it } from 'vitest'
import { afterPoll, INITIAL_POLL_SCHEDULE, nextPollMs, type PollSchedule, pollWhilePushedMs } from '#chain/heads.ts'
import { createRandom, type Random } from '#devchain/traders/random.ts'

const BLOCKS = 2_000
/** From sending a poll to its answer. */
const ROUND_TRIP_MS = 50

interface Seen {
  readonly pollsPerBlock: number
  /** From a block's arrival at the provider until it is seen. */
  readonly meanMs: number
  readonly shortestWaitMs: number
}

/** Polls a chain whose blocks come as `gapMs` says. */
function watch(blockTimeMs: number, gapMs: (random: Random) => number): Seen {
  const random = createRandom(3)
  const arrivals: number[] = []
  for (let at = 0; arrivals.length < BLOCKS; arrivals.push(at)) at += gapMs(random)
  let schedule: PollSchedule = INITIAL_POLL_SCHEDULE
  let [now, head, polls, late, shortestWaitMs] = [0, -1, 0, 0, Number.POSITIVE_INFINITY]
  while (head < BLOCKS - 1) {
    const wait = nextPollMs(schedule, blockTimeMs, false)
    shortestWaitMs = Math.min(shortestWaitMs, wait)
    now += wait + ROUND_TRIP_MS
    polls++
    while ((arrivals[head + 1] ?? Number.POSITIVE_INFINITY) <= now - ROUND_TRIP_MS / 2) late += now - (arrivals[++head] ?? 0)
    schedule = afterPoll(schedule, head, blockTimeMs)
  }
  return { pollsPerBlock: polls / BLOCKS, meanMs: late / BLOCKS, shortestWaitMs }
}

const about = (ms: number, share: number) => (random: Random) => ms * (1 + share * (2 * random.unit() - 1))

describe('the poll schedule', () => {
  it.each([
    ['every two seconds', 2_000, about(2_000, 0.02), 2.3, 125],
    ['every 12 seconds, now and then none', 12_600, (random: Random) => (random.chance(0.05) ? 24_000 : 12_000), 3.3, 900],
    ['every second', 1_000, about(1_000, 0.02), 2.3, 125],
    ['every quarter of a second', 250, about(250, 0.06), 1.8, 125],
    ['about every second', 1_000, about(1_000, 0.25), 2.7, 125],
    ['at any time', 1_000, (random: Random) => -1_000 * Math.log(1 - random.unit()), 4.2, 220],
  ])('stays in step with blocks that come %s', (_, blockTimeMs, gapMs, maxPolls, latestMs) => {
    const { pollsPerBlock, meanMs, shortestWaitMs } = watch(blockTimeMs, gapMs)
    expect(pollsPerBlock).toBeLessThan(maxPolls)
    expect(meanMs).toBeLessThan(latestMs)
    expect(shortestWaitMs).toBeGreaterThanOrEqual(100)
  })

  it('falls into step within a few blocks when the chain has been quiet', () => {
    // The block time is told by the last blocks, an hour without any among them.
    const blockTimeMs = 60_000
    let schedule: PollSchedule = { ...INITIAL_POLL_SCHEDULE, head: 0 }
    expect(nextPollMs(schedule, blockTimeMs, false)).toBe(4_000)
    for (let head = 1; head <= 12; head++) {
      const [arrivesMs, first] = [1_000, nextPollMs(schedule, blockTimeMs, false)]
      for (let at = first; at < arrivesMs; at += nextPollMs(schedule, blockTimeMs, false))
        schedule = afterPoll(schedule, head - 1, blockTimeMs)
      schedule = afterPoll(schedule, head, blockTimeMs)
    }
    expect(nextPollMs(schedule, blockTimeMs, false)).toBeLessThan(1_100)
  })

  it('becomes rare where no block comes, or polls fail', () => {
    for (const head of [7, null]) {
      let schedule = afterPoll(INITIAL_POLL_SCHEDULE, 7, 2_000)
      const waits: number[] = []
      for (let poll = 0; poll < 10; poll++) {
        waits.push(nextPollMs(schedule, 2_000, false))
        schedule = afterPoll(schedule, head, 2_000)
      }
      expect(waits).toEqual([1_000, 125, 125, 125, 125, 125, 1_000, 1_000, 1_000, 1_000])
    }
  })

  it('ignores a head that fell or leapt', () => {
    const schedule: PollSchedule = { head: 100, firstMs: 1_850, polls: 1, foundByFirst: 0 }
    for (const head of [90, 400]) expect(afterPoll(schedule, head, 2_000)).toEqual({ ...schedule, head, polls: 0 })
  })

  it('never waits so long that the provider would count as silent', () => {
    expect(nextPollMs({ ...INITIAL_POLL_SCHEDULE, head: 1, firstMs: 59_000 }, 60_000, false)).toBe(15_000)
  })

  it.each([
    [null, false, 1_000],
    [2_000, true, 4_000],
    [60_000, false, 4_000],
    [0, false, 250],
  ])('of a block time of %s, catching up: %s, waits at last for %i', (blockTimeMs, catchingUp, wait) => {
    expect(nextPollMs({ ...INITIAL_POLL_SCHEDULE, head: 1, polls: 50 }, blockTimeMs, catchingUp)).toBe(wait)
  })

  it.each([
    [null, 4_000],
    [12_000, 4_000],
    [1_000, 2_000],
    [250, 1_000],
  ])('of a block time of %s waits %i ms for a pushed head', (blockTimeMs, wait) => {
    expect(pollWhilePushedMs(blockTimeMs)).toBe(wait)
  })
})
