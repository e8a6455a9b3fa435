import type { Logger } from 'pino'
import { Observable } from 'rxjs'
import { isLogged } from '#async/pause.ts'
import type { MetadataLane, MetadataRecord, MetadataWork, WaitingToken } from '#domain/metadata.ts'
import { hasCode } from '#errors'
import { commitTokens, type JobDatabase } from '#jobs/commitJob.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import {
  announceMetadata,
  countQueuedMetadata,
  readDueMetadata,
  readUnannounced,
  recordMetadata,
  resumeMetadata,
} from '#store/rows/metadata.ts'
import type { Attempt, MetadataSettings } from './attempt.ts'
import { type Attempted, failure, recordOf } from './failure.ts'

export interface MetadataReaderOptions extends JobDatabase {
  readonly attempt: Attempt
  readonly settings: Pick<MetadataSettings, 'fetch' | 'allowHttp'>
  readonly logger: Logger
  /** Monotonic milliseconds. */
  readonly now: () => number
  /** The longest time between two searches for work. Default 1,000. */
  readonly pollMs?: number
  /** The least time between two rounds, whose commits delay indexing. Default 200. */
  readonly spacingMs?: number
}

export interface MetadataView {
  /** The number of URIs to be read, now or later, counted up to 100,000; `null`: not counted yet. */
  readonly queued: number | null
  readonly underWay: number
  /** The number of attempts since the start by outcome. */
  readonly outcomes: Readonly<Record<string, number>>
}

export interface MetadataReader {
  /** The commits that show documents. Reading goes on as long as there is a subscriber. Never errors; can be subscribed to once. */
  readonly updates: Observable<CommittedBlock>
  view(): MetadataView
  /** Ends every request. `updates` emits nothing more. Resolves when no commit is under way. */
  stop(): Promise<void>
}

/** The most attempts at once in each lane, which bounds memory. Slow servers of one lane do not hold up another. */
const LANES: Readonly<Record<MetadataLane, number>> = { local: 200, gateway: 24, web: 8 }
const LANE_NAMES = Object.keys(LANES) as readonly MetadataLane[]
/** The most tokens per commit, which so takes a few milliseconds. */
const MAX_ANNOUNCED = 200
const MAX_COUNTED = 100_000
const COUNT_EVERY_MS = 10_000
const FIRST_RETRY_MS = 200
const MAX_RETRY_MS = 5_000

export function createMetadataReader(options: MetadataReaderOptions): MetadataReader {
  const { db, attempt, settings, logger, now, pollMs = 1_000, spacingMs = 200 } = options
  const stopped = new AbortController()
  const underWay = new Map<MetadataWork['key'], MetadataLane>()
  const outcomes = new Map<string, number>()
  /** Results that are not stored yet. Their keys stay in `underWay`, so that the lanes bound their number. */
  let finished: readonly MetadataRecord[] = []
  /** The tokens of the next commit, kept until it has succeeded. */
  let announcing: readonly WaitingToken[] = []
  let queued: number | null = null
  let countedAtMs = Number.NEGATIVE_INFINITY
  let running: Promise<void> = Promise.resolve()
  let sleeping: { readonly end: () => void; readonly untilFinished: boolean } | null = null

  const start = async (work: MetadataWork): Promise<void> => {
    underWay.set(work.key, work.lane)
    const attempted = await attempt(work, stopped.signal).catch((err: unknown): Attempted => {
      // Rethrown, the error would end the process, which would read the same document again after a restart.
      logger.error({ err, key: work.key }, 'reading a metadata document threw')
      return { kind: 'failed', failure: failure('internal') }
    })
    // The stop may have aborted the request, so the URI stays due.
    if (stopped.signal.aborted) return
    const record = recordOf(work, attempted, Math.random())
    outcomes.set(record.outcome, (outcomes.get(record.outcome) ?? 0) + 1)
    finished = [...finished, record]
    if (sleeping?.untilFinished === true) sleeping.end()
  }

  const record = async (): Promise<void> => {
    const records = finished
    await recordMetadata(db, records)
    finished = finished.slice(records.length)
    for (const { key } of records) underWay.delete(key)
  }

  const announce = async (publish: (block: CommittedBlock) => void): Promise<boolean> => {
    if (announcing.length === 0) announcing = await readUnannounced(db, MAX_ANNOUNCED)
    if (announcing.length === 0) return false
    const block = await announceTokens(options, now, announcing)
    announcing = []
    if (block !== null) publish(block)
    return true
  }

  const fill = async (): Promise<void> => {
    const busy = (lane: MetadataLane) => [...underWay.values()].filter(other => other === lane).length
    const wanted = LANE_NAMES.map(lane => ({ lane, limit: LANES[lane] - busy(lane) }))
    for (const work of await readDueMetadata(db, wanted, [...underWay.keys()])) void start(work)
  }

  const count = async (): Promise<void> => {
    if (now() < countedAtMs + COUNT_EVERY_MS) return
    countedAtMs = now()
    queued = await countQueuedMetadata(db, MAX_COUNTED)
  }

  /** @param untilFinished whether a finished attempt ends the sleep, just as a stop does */
  const sleep = async (ms: number, untilFinished = false): Promise<void> => {
    if (stopped.signal.aborted || (untilFinished && finished.length > 0)) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    sleeping = { end: resolve, untilFinished }
    await promise
    sleeping = null
    clearTimeout(timer)
  }

  const run = async (publish: (block: CommittedBlock) => void): Promise<void> => {
    let resumed = false
    let failures = 0
    while (!stopped.signal.aborted) {
      try {
        if (!resumed) await resumeMetadata(db, outcomesToResume(settings))
        resumed = true
        await record()
        const announced = await announce(publish)
        await fill()
        await count()
        failures = 0
        await sleep(spacingMs)
        if (!announced) await sleep(Math.max(0, pollMs - spacingMs), true)
      } catch (err) {
        if (hasCode(err, 'database_taken')) {
          logger.error({ err }, 'reading metadata has stopped')
          return
        }
        failures++
        if (isLogged(failures)) logger.warn({ err, failures }, 'metadata could not be stored, trying again')
        await sleep(Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 10)))
      }
    }
  }

  const abort = () => {
    stopped.abort()
    sleeping?.end()
  }

  return {
    updates: new Observable(subscriber => {
      running = run(block => subscriber.next(block))
      return abort
    }),
    view: () => ({ queued, underWay: underWay.size, outcomes: Object.fromEntries(outcomes) }),
    stop: async () => {
      abort()
      await running
    },
  }
}

/** Copies documents to waiting tokens in a commit of `commitTokens`. Idempotent. */
export function announceTokens(database: JobDatabase, now: () => number, waiting: readonly WaitingToken[]): Promise<CommittedBlock | null> {
  return commitTokens(database, now, async (tx, committedAtMs) => {
    await announceMetadata(tx, waiting, committedAtMs)
    return waiting.flatMap(({ token }) => (token === null ? [] : [token]))
  })
}

/** The outcomes of URIs that the present settings allow to read. */
function outcomesToResume({ fetch, allowHttp }: Pick<MetadataSettings, 'fetch' | 'allowHttp'>): readonly string[] {
  return [...(fetch ? ['fetch_off'] : []), ...(fetch && allowHttp ? ['http_off'] : [])]
}
