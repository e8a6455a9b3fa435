import type { Logger } from 'pino'
import { type Observable, Subject } from 'rxjs'
import { mapBounded } from '#async/mapBounded.ts'
import { type CommitJob, type CommitNotice, commitTokens, type JobDatabase } from '#jobs/commitJob.ts'
import { createJobRuns } from '#jobs/jobRuns.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import type { Rpc } from '#rpc/rpc.ts'
import { readDueCurrencies, writeCurrencies } from '#store/rows/currencies.ts'
import { type FetchedCurrency, fetchCurrency } from './fetchCurrency.ts'

export interface CurrencyReaderOptions extends JobDatabase {
  readonly rpc: Pick<Rpc, 'request'>
  /** Monotonic milliseconds. */
  readonly now: () => number
  readonly logger: Logger
}

/** Reads symbol and decimals of each currency that a new pool is quoted in, and again once a day. */
export interface CurrencyReader extends CommitJob {
  /** The commits that stored symbols and decimals. Never errors; completes on `stop`. */
  readonly updates: Observable<CommittedBlock>
}

const CURRENCIES_PER_RUN = 20
const READS_AT_ONCE = 2
/** The most blocks until the next run, which double with each failure in a row. */
const MAX_BLOCKS_BETWEEN = 256

export function createCurrencyReader(options: CurrencyReaderOptions): CurrencyReader {
  const { rpc, db, now, logger } = options
  const updates = new Subject<CommittedBlock>()
  /** The currencies that were read, kept until they are committed and published: a commit of unknown outcome is repeated. */
  let read: readonly FetchedCurrency[] | null = null

  const commit = async (currencies: readonly FetchedCurrency[]): Promise<void> => {
    const committed = await commitTokens(options, now, (tx, committedAtMs) => writeCurrencies(tx, currencies, committedAtMs))
    if (committed !== null) updates.next(committed)
  }

  const run = async (): Promise<void> => {
    for (;;) {
      const due = read === null ? await readDueCurrencies(db, CURRENCIES_PER_RUN) : []
      read ??= await mapBounded(due, READS_AT_ONCE, address => fetchCurrency(rpc, address))
      if (runs.isStopped) return
      if (read.length > 0) await runs.commit(commit(read))
      const isLast = read.length < CURRENCIES_PER_RUN
      read = null
      if (isLast) return
    }
  }

  const runs = createJobRuns<CommitNotice>({
    run,
    logger,
    failure: 'cannot read the symbols and decimals of currencies',
    maxBlocksBetween: MAX_BLOCKS_BETWEEN,
  })

  return {
    updates,
    committed: runs.request,
    settled: runs.settled,
    stop: async () => {
      await runs.stop()
      updates.complete()
    },
  }
}
