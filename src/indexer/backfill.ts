import type { ChainSource } from '#chain/chainSource.ts'
import { type FetchedRange, fetchRange } from './backfillRange.ts'
import { type BackfillBounds, nextRangeBlocks } from './backfillSize.ts'
import type { Watchlist } from './ports.ts'

export interface BackfillOptions {
  readonly source: Pick<ChainSource, 'headers' | 'logsInRange'>
  readonly watchlist: Watchlist
  readonly bounds?: BackfillBounds
}

/** Fetches ranges of blocks, some ahead of the one that is being committed. */
export interface Backfill {
  /**
   * The range that begins at `from` and ends at `target` at the latest; ranges after it are begun.
   *
   * @throws what fetching threw
   */
  range(from: number, target: number): Promise<FetchedRange>
  /** Drops the ranges that were fetched ahead: they may be of a chain that is no more, or rest on a commit that never was. */
  forget(): void
}

/** The first range is small: nothing is known yet of how much the blocks hold. */
const FIRST_BLOCKS = 500
/** A larger commit writes each busy token's row less often; a smaller one holds less in memory, three times over. */
const BOUNDS: BackfillBounds = { leastBlocks: 1, mostBlocks: 50_000, targetLogs: 10_000 }
/** A range that holds this many times the target is cut: bounds the memory and the length of a transaction. */
const MOST_OVERSHOOT = 2
/** Ranges fetched or being fetched beyond the one that is committed: while one is, the wire is never idle. */
const MOST_AHEAD = 2

type Outcome = { readonly ok: true; readonly range: FetchedRange } | { readonly ok: false; readonly error: unknown }

interface Ahead {
  readonly from: number
  readonly outcome: Promise<Outcome>
  /** `null` until it is there. */
  done: Outcome | null
}

export function createBackfill({ source, watchlist, bounds = BOUNDS }: BackfillOptions): Backfill {
  let blocks = Math.min(FIRST_BLOCKS, bounds.mostBlocks)
  let goal = 0
  /** Ascending, each from where the one before it ends; at most the last is being fetched. */
  let ahead: readonly Ahead[] = []
  /** What the range that was given out last and those ahead announce: it is watched only once it is committed, and fetched before that. */
  let taken: FetchedRange | null = null

  // Its outcome never rejects: the range may fail while nobody is waiting for it.
  const begin = (from: number): void => {
    const fetched = ahead.flatMap(({ done }) => (done?.ok ? [done.range] : []))
    const announced = [taken, ...fetched].flatMap(range => range?.discovered ?? [])
    const request = { from, to: Math.min(goal, from + blocks - 1), announced, maxLogs: bounds.targetLogs * MOST_OVERSHOOT }
    const outcome = fetchRange(source, watchlist, request).then(
      (range): Outcome => ({ ok: true, range }),
      (error: unknown): Outcome => ({ ok: false, error }),
    )
    const one: Ahead = { from, outcome, done: null }
    ahead = [...ahead, one]
    void outcome.then(done => {
      if (!ahead.includes(one)) return
      one.done = done
      if (done.ok) blocks = nextRangeBlocks(done.range.batch.to.number - from + 1, done.range.batch.logs.length, bounds)
      goOn()
    })
  }

  /** Begins the range after the last one that is there. */
  const goOn = (): void => {
    const last = ahead.at(-1)
    const range = last === undefined ? taken : last.done?.ok ? last.done.range : null
    if (range === null || ahead.length >= MOST_AHEAD || range.batch.to.number >= goal) return
    begin(range.batch.to.number + 1)
  }

  return {
    range: async (from, target) => {
      goal = target
      if (ahead[0]?.from !== from) {
        ahead = []
        taken = null
        begin(from)
      }
      const [wanted] = ahead
      if (wanted === undefined) throw new TypeError('the range was just begun')
      const outcome = await wanted.outcome
      ahead = ahead.filter(one => one !== wanted)
      if (!outcome.ok) throw outcome.error
      taken = outcome.range
      goOn()
      return outcome.range
    },
    forget: () => {
      ahead = []
      taken = null
    },
  }
}
