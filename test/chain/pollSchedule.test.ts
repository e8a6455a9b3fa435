import { describe, expect, it } from 'vitest'
import { afterLook, type LookPace, NO_PACE, untilNextLookMs } from '#chain/pollSchedule.ts'
import { createRandom, type Random } from '#devchain/traders/random.ts'

const BLOCKS = 2_000
/** From a look's begin to its answer. */
const ROUND_TRIP_MS = 50

interface Seen {
  readonly looksPerBlock: number
  /** From a block's arrival at the provider until it is seen. */
  readonly meanMs: number
  readonly shortestWaitMs: number
}

/** Looks at a chain whose blocks come as `gapMs` says. */
function watch(blockTimeMs: number, gapMs: (random: Random) => number): Seen {
  const random = createRandom(3)
  const arrivals: number[] = []
  for (let at = 0; arrivals.length < BLOCKS; arrivals.push(at)) at += gapMs(random)
  let pace: LookPace = NO_PACE
  let [now, head, looks, late, shortestWaitMs] = [0, -1, 0, 0, Number.POSITIVE_INFINITY]
  while (head < BLOCKS - 1) {
    const wait = untilNextLookMs(pace, blockTimeMs, false)
    shortestWaitMs = Math.min(shortestWaitMs, wait)
    now += wait + ROUND_TRIP_MS
    looks++
    while ((arrivals[head + 1] ?? Number.POSITIVE_INFINITY) <= now - ROUND_TRIP_MS / 2) late += now - (arrivals[++head] ?? 0)
    pace = afterLook(pace, head, blockTimeMs)
  }
  return { looksPerBlock: looks / BLOCKS, meanMs: late / BLOCKS, shortestWaitMs }
}

const about = (ms: number, share: number) => (random: Random) => ms * (1 + share * (2 * random.unit() - 1))

describe('looking for heads', () => {
  it.each([
    ['every two seconds', 2_000, about(2_000, 0.02), 2.3, 125],
    ['every 12 seconds, now and then none', 12_600, (random: Random) => (random.chance(0.05) ? 24_000 : 12_000), 3.3, 900],
    ['every second', 1_000, about(1_000, 0.02), 2.3, 125],
    ['every quarter of a second', 250, about(250, 0.06), 1.8, 125],
    ['about every second', 1_000, about(1_000, 0.25), 2.7, 125],
    ['at any time', 1_000, (random: Random) => -1_000 * Math.log(1 - random.unit()), 4.2, 220],
  ])('for blocks that come %s stays in step with them', (_, blockTimeMs, gapMs, mostLooks, latestMs) => {
    const { looksPerBlock, meanMs, shortestWaitMs } = watch(blockTimeMs, gapMs)
    expect(looksPerBlock).toBeLessThan(mostLooks)
    expect(meanMs).toBeLessThan(latestMs)
    expect(shortestWaitMs).toBeGreaterThanOrEqual(100)
  })

  it('falls into step within a few blocks when the chain has been quiet', () => {
    // The block time is told by the last blocks, an hour without any among them.
    const blockTimeMs = 60_000
    let pace: LookPace = { ...NO_PACE, head: 0 }
    expect(untilNextLookMs(pace, blockTimeMs, false)).toBe(4_000)
    for (let head = 1; head <= 12; head++) {
      const [arrivesMs, first] = [1_000, untilNextLookMs(pace, blockTimeMs, false)]
      for (let at = first; at < arrivesMs; at += untilNextLookMs(pace, blockTimeMs, false)) pace = afterLook(pace, head - 1, blockTimeMs)
      pace = afterLook(pace, head, blockTimeMs)
    }
    expect(untilNextLookMs(pace, blockTimeMs, false)).toBeLessThan(1_100)
  })

  it('becomes rare where no block comes, or looks fail', () => {
    for (const head of [7, null]) {
      let pace = afterLook(NO_PACE, 7, 2_000)
      const waits: number[] = []
      for (let look = 0; look < 10; look++) {
        waits.push(untilNextLookMs(pace, 2_000, false))
        pace = afterLook(pace, head, 2_000)
      }
      expect(waits).toEqual([1_000, 125, 125, 125, 125, 125, 1_000, 1_000, 1_000, 1_000])
    }
  })

  it('is not put out of step by a head that fell or leapt', () => {
    const pace: LookPace = { head: 100, firstMs: 1_850, looks: 1, firstFound: 0 }
    for (const head of [90, 400]) expect(afterLook(pace, head, 2_000)).toEqual({ ...pace, head, looks: 0 })
  })

  it('never waits so long that the provider would count as silent', () => {
    expect(untilNextLookMs({ ...NO_PACE, head: 1, firstMs: 59_000 }, 60_000, false)).toBe(15_000)
  })

  it.each([
    [null, false, 1_000],
    [2_000, true, 4_000],
    [60_000, false, 4_000],
    [0, false, 250],
  ])('of a block time of %s, catching up: %s, waits at last for %i', (blockTimeMs, catchingUp, wait) => {
    expect(untilNextLookMs({ ...NO_PACE, head: 1, looks: 50 }, blockTimeMs, catchingUp)).toBe(wait)
  })
})
