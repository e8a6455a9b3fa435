import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { CommitJob, CommitNotice } from '#jobs/commitJob.ts'
import { createJobRuns } from '#jobs/jobRuns.ts'
import { readStoredBlocks } from '#store/rows/cursor.ts'
import { fetchRange, type RangeSource } from '#sync/fetch/range.ts'
import type { Watchlist } from '#sync/watchlist.ts'
import type { OpenedKeptLogs } from './openKeptLogs.ts'

/** A range costs a query of logs or a few; the headers are in the database. At most this many newest final blocks are not kept. */
const BLOCKS = 500
const MAX_LOGS = 20_000

export interface FollowedKeeperOptions {
  readonly kept: Pick<OpenedKeptLogs, 'ranges' | 'writer'>
  readonly db: Kysely<unknown>
  readonly watchlist: Watchlist
  readonly maxReorgDepth: number
  /** Whether indexing is far behind: what is fetched in ranges is kept by that. */
  isBehind(): boolean
  readonly logger: Logger
  /** Default 500. */
  readonly blocks?: number
}

/**
 * Keeps the logs of blocks that were followed one by one, once they are final: they are asked for again, by ranges, so that nothing is lost
 * when the process ends in between.
 */
export function createFollowedKeeper(options: FollowedKeeperOptions): CommitJob {
  const { kept, db, watchlist, maxReorgDepth, isBehind, logger, blocks = BLOCKS } = options
  const { writer } = kept
  /** The last block of the next range. */
  let due = 0

  const source: RangeSource = {
    ...kept.ranges,
    headers: async numbers => {
      const found = new Map((await readStoredBlocks(db, numbers)).map(header => [header.number, header]))
      const missing = numbers.filter(number => !found.has(number))
      for (const header of missing.length === 0 ? [] : await kept.ranges.headers(missing)) found.set(header.number, header)
      return numbers.flatMap(number => found.get(number) ?? [])
    },
    fetched: async range => {
      if (!runs.isStopped) await kept.ranges.fetched?.(range)
    },
  }

  const runs = createJobRuns<CommitNotice>({
    run: async ({ number }) => {
      const final = number - maxReorgDepth
      const end = (await writer?.endOf(watchlist.partsWith([]))) ?? -1
      // Older blocks are left to a rebuild: they may be many, as when nothing was kept for long.
      let from = Math.max(watchlist.startBlock, final - maxReorgDepth - 2 * blocks, end + 1)
      for (due = from + blocks - 1; due <= final && !runs.isStopped; due = from + blocks - 1) {
        from = (await fetchRange(source, watchlist, { from, to: due, announced: [], maxLogs: MAX_LOGS })).to.number + 1
      }
    },
    logger,
    failure: 'logs of followed blocks could not be kept, trying again after the next block',
  })

  return {
    committed: notice => {
      if (writer !== null && notice.number - maxReorgDepth >= due && !isBehind()) runs.request(notice)
    },
    settled: runs.settled,
    stop: runs.stop,
  }
}
