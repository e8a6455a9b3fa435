import type { BackfillProgress } from '#domain/health.ts'

/** How far a backfill has come, at one time. */
export interface ProgressSample {
  readonly atMs: number
  /** The cursor: everything up to here is indexed. */
  readonly block: number
  /** Logs indexed since the backfill began. */
  readonly events: number
}

/** The samples of the recent past, oldest first. */
export type ProgressSamples = readonly ProgressSample[]

const WINDOW_MS = 30_000
const MOST_SAMPLES = 64

/** With one more sample; samples older than half a minute are dropped, except the newest of them, from which rates are counted. */
export function withSample(samples: ProgressSamples, sample: ProgressSample): ProgressSamples {
  const all = [...samples, sample]
  const recent = all.findIndex(({ atMs }) => atMs >= sample.atMs - WINDOW_MS)
  return all.slice(Math.max(0, recent - 1)).slice(-MOST_SAMPLES)
}

/**
 * Rates over the recent past and what is left at that rate.
 *
 * @param from the first block to index at all, so that the share is of the whole and does not begin anew after a restart
 * @param target the block up to which there is something to index now; moves with the chain
 */
export function progressOf(samples: ProgressSamples, from: number, target: number): BackfillProgress {
  const first = samples[0]
  const last = samples.at(-1)
  const block = last?.block ?? from - 1
  const seconds = first === undefined || last === undefined ? 0 : (last.atMs - first.atMs) / 1_000
  const blocksPerSecond = seconds > 0 && first !== undefined ? (block - first.block) / seconds : 0
  const eventsPerSecond = seconds > 0 && first !== undefined && last !== undefined ? (last.events - first.events) / seconds : 0
  const total = target - from + 1
  const left = Math.max(0, target - block)
  return {
    fromBlock: String(from),
    toBlock: String(target),
    currentBlock: String(Math.max(block, from - 1, 0)),
    percent: total <= 0 ? 100 : Math.min(100, Math.max(0, Math.floor(((block - from + 1) / total) * 1_000) / 10)),
    blocksPerSecond: Math.round(blocksPerSecond * 10) / 10,
    eventsPerSecond: Math.round(eventsPerSecond * 10) / 10,
    secondsLeft: blocksPerSecond > 0 ? Math.ceil(left / blocksPerSecond) : null,
  }
}
