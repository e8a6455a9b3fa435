import type { Random } from './traders/random.ts'
import type { Traders } from './traders.ts'

/** Length of the history: more than a day, so that 24-hour windows are filled. */
export const HISTORY_SECONDS = 26 * 3_600
const HISTORY_BLOCKS = 240
/** The last blocks are a second apart, because the indexer measures the block time from the newest blocks. */
const CLOSE_BLOCKS = 8

export interface HistoryOptions {
  readonly traders: Traders
  readonly random: Random
  /** Unix seconds; every block's timestamp is later. */
  readonly since: number
  /** The current time in Unix seconds, which is the timestamp of the last block. */
  readonly now: () => number
  /** Default 240. */
  readonly blocks?: number
  readonly signal?: AbortSignal
  readonly onProgress?: (done: number, blocks: number) => void
}

/**
 * Simulates the past day within seconds: quiet and busy blocks at irregular times from `since` to now.
 *
 * @throws the errors of `Traders.block`; the signal's reason when it aborts
 */
export async function runHistory(options: HistoryOptions): Promise<void> {
  const { traders, random, since, now, blocks = HISTORY_BLOCKS, signal, onProgress } = options
  const close = Math.min(CLOSE_BLOCKS, Math.floor((blocks - 1) / 2))
  const times = drawTimes(random, since, now() - 1 - close, blocks - 1 - close)
  for (const [index, time] of times.entries()) {
    signal?.throwIfAborted()
    await traders.block(drawActions(random), time)
    onProgress?.(index + 1, blocks)
  }
  // The chain's clock continues from the current time, however long the simulation took.
  const end = Math.max(now(), (times.at(-1) ?? since) + 1 + close)
  for (let left = close; left >= 0; left--) {
    await traders.block(drawActions(random), end - left)
    onProgress?.(blocks - left, blocks)
  }
}

/** Strictly rising timestamps after `since`, up to `until`. */
function drawTimes(random: Random, since: number, until: number, count: number): number[] {
  const gaps = Array.from({ length: count }, () => random.spread(0.02, 1))
  const total = gaps.reduce((sum, gap) => sum + gap, 0)
  const spare = until - since - count
  let passed = 0
  return gaps.map((gap, index) => {
    passed += gap
    return since + index + 1 + Math.floor((passed / total) * spare)
  })
}

function drawActions(random: Random): number {
  switch (random.weighted([1, 6, 2])) {
    case 0:
      return random.integer(0, 2)
    case 1:
      return random.integer(3, 9)
    default:
      return random.integer(10, 24)
  }
}
