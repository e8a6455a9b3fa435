import type { Logger } from 'pino'
import type { IndexerStateRecorder } from './indexerState.ts'
import type { Plan } from './plan.ts'
import { type ProgressSamples, progressOf, withSample } from './progress.ts'

/** Keeps the progress of a backfill in the indexer's state and, now and then, in the log. */
export interface BackfillReport {
  planned(plan: Plan): void
  /** @param logs that the blocks up to this one held */
  committed(block: number, logs: number): void
}

export interface BackfillReportOptions {
  readonly state: Pick<IndexerStateRecorder, 'backfilling'>
  /** The first block to index. */
  readonly startBlock: number
  readonly logger: Logger
  readonly nowMs: () => number
}

const LOG_EVERY_MS = 5_000

export function createBackfillReport({ state, startBlock, logger, nowMs }: BackfillReportOptions): BackfillReport {
  /** The backfill that is going on; `null`: none is. */
  let current: { readonly samples: ProgressSamples; readonly target: number; readonly startedAtMs: number } | null = null
  let events = 0
  let loggedAtMs = Number.NEGATIVE_INFINITY

  const show = (always: boolean) => {
    if (current === null) return
    const progress = progressOf(current.samples, startBlock, current.target)
    state.backfilling(progress)
    if (!always && nowMs() - loggedAtMs < LOG_EVERY_MS) return
    loggedAtMs = nowMs()
    logger.info(progress, 'backfill')
  }

  return {
    planned: plan => {
      if (plan.kind === 'backfill') {
        const begun = current
        if (begun === null) events = 0
        current = {
          samples: begun?.samples ?? [{ atMs: nowMs(), block: plan.from - 1, events }],
          target: plan.target,
          startedAtMs: begun?.startedAtMs ?? nowMs(),
        }
        show(begun === null)
      } else if (current !== null) {
        logger.info({ toBlock: current.target, events, seconds: Math.round((nowMs() - current.startedAtMs) / 1_000) }, 'backfill done')
        current = null
        state.backfilling(null)
      }
    },
    committed: (block, logs) => {
      if (current === null) return
      events += logs
      current = { ...current, samples: withSample(current.samples, { atMs: nowMs(), block, events }) }
      show(false)
    },
  }
}
