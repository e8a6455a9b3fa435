import type { Logger } from 'pino'
import { isLogged } from '#async/logSampling.ts'
import { hasCode, TokenwireError } from '#errors'
import { type Backfill, progressOf } from './backfillProgress.ts'
import { causeOf } from './causeOf.ts'
import type { SyncHealth } from './health.ts'
import { fallingTimes } from './healthReport.ts'
import type { SyncEvent } from './step.ts'

const PROGRESS_EVERY_MS = 5_000

/** Logs for operators the progress of a backfill, reorgs, and failures. Repeated failures are logged ever more rarely. */
export function logEvent(logger: Logger, event: SyncEvent, before: SyncHealth, after: SyncHealth, startBlock: number): void {
  logBackfill(logger, before.backfill, after.backfill, startBlock)
  if (before.fallingAt === null && after.fallingAt !== null) logger.warn(fallingTimes(after.fallingAt))
  switch (event.kind) {
    case 'committed': {
      if (event.commit.kind !== 'replace') return
      const { replacement, to, depth } = event.commit
      const details = { depth, ancestor: replacement.ancestor?.number ?? null, cursor: before.indexed?.number, to: to.number }
      logger.warn(details, 'the chain has replaced indexed blocks; they are replaced in the index')
      return
    }
    case 'tipFailed':
      if (isLogged(after.failedPolls)) logger.warn({ err: event.error, attempt: after.failedPolls }, "the chain's end could not be seen")
      return
    case 'failed': {
      const { error: err, attempt, retryInMs } = event
      if (hasCode(err, 'reorg_too_deep')) {
        if (before.stopped !== null && before.tooDeepReorgAt === after.tooDeepReorgAt) return
        const details = err instanceof TokenwireError ? err.details : {}
        logger.fatal(
          { ...details, err },
          'indexed blocks are no longer on the chain; indexing has stopped, what is indexed is still served',
        )
      } else if (isLogged(attempt)) {
        logger.warn({ cause: causeOf(err).full, err, attempt, retryInMs: Math.round(retryInMs) }, 'indexing failed, trying again')
      }
      return
    }
    case 'gaveUp':
      logger.fatal({ err: event.error }, 'indexing has stopped; what is indexed is still served')
      return
    default:
  }
}

function logBackfill(logger: Logger, before: Backfill | null, after: Backfill | null, startBlock: number): void {
  if (after === null) {
    if (before === null) return
    const seconds = Math.round(((before.samples.at(-1)?.atMs ?? before.startedAtMs) - before.startedAtMs) / 1_000)
    logger.info({ toBlock: before.target, events: before.logs, seconds }, 'backfill done')
  } else if (before === null || isProgressDue(before, after)) {
    logger.info(progressOf(after, startBlock), 'backfill')
  }
}

/** Whether the commit is the first one in a new interval, counted from the start of the backfill. */
function isProgressDue(before: Backfill, after: Backfill): boolean {
  const interval = ({ samples, startedAtMs }: Backfill) => Math.floor(((samples.at(-1)?.atMs ?? 0) - startedAtMs) / PROGRESS_EVERY_MS)
  return interval(after) > interval(before)
}
