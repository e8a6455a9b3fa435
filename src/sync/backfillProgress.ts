import type { BackfillProgress } from '#resources/health.ts'

/** A backfill under way. */
export interface Backfill {
  readonly startedAtMs: number
  /** The last block that is fetched in ranges; moves with the chain. */
  readonly target: number
  /** Logs indexed since it started. */
  readonly logs: number
  /** The samples of the last half minute, oldest first. */
  readonly samples: readonly ProgressSample[]
}

/** How far a backfill had come at one time. */
interface ProgressSample {
  readonly atMs: number
  /** The cursor. */
  readonly block: number
  readonly logs: number
}

const WINDOW_MS = 30_000
const MAX_SAMPLES = 64

/** @param cursor everything up to this block is indexed */
export function startBackfill(cursor: number, target: number, atMs: number): Backfill {
  return { startedAtMs: atMs, target, logs: 0, samples: [{ atMs, block: cursor, logs: 0 }] }
}

/** After the commit of a range that ends with `block`. Rates are counted from the newest sample that is older than half a minute. */
export function afterRange(backfill: Backfill, block: number, logs: number, atMs: number): Backfill {
  const total = backfill.logs + logs
  const all = [...backfill.samples, { atMs, block, logs: total }]
  const recent = all.findIndex(sample => sample.atMs >= atMs - WINDOW_MS)
  return { ...backfill, logs: total, samples: all.slice(Math.max(0, recent - 1)).slice(-MAX_SAMPLES) }
}

/** @param startBlock the first block that is indexed: the percentage is of the whole history, also after a restart */
export function progressOf({ samples, target }: Backfill, startBlock: number): BackfillProgress {
  const first = samples[0]
  const last = samples.at(-1)
  const block = last?.block ?? startBlock - 1
  const seconds = first === undefined || last === undefined ? 0 : (last.atMs - first.atMs) / 1_000
  const blocksPerSecond = seconds > 0 && first !== undefined ? (block - first.block) / seconds : 0
  const logsPerSecond = seconds > 0 && first !== undefined && last !== undefined ? (last.logs - first.logs) / seconds : 0
  const total = target - startBlock + 1
  const left = Math.max(0, target - block)
  return {
    fromBlock: String(startBlock),
    toBlock: String(target),
    currentBlock: String(Math.max(block, startBlock - 1, 0)),
    percent: total <= 0 ? 100 : Math.min(100, Math.max(0, Math.floor(((block - startBlock + 1) / total) * 1_000) / 10)),
    blocksPerSecond: Math.round(blocksPerSecond * 10) / 10,
    eventsPerSecond: Math.round(logsPerSecond * 10) / 10,
    secondsLeft: blocksPerSecond > 0 ? Math.ceil(left / blocksPerSecond) : null,
  }
}
