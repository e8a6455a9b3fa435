import type { Logger } from 'pino'
import { Observable } from 'rxjs'
import type { CommittedBlock } from '#domain/committedBlock.ts'
import type { MetadataLane, MetadataRecord, MetadataWork, WaitingToken } from '#domain/metadata.ts'
import { hasCode } from '#errors'
import type { Attempt, Attempted, MetadataSettings } from './attempt.ts'
import { failure } from './problem.ts'
import { recordOf } from './recordOf.ts'
import type { MetadataStore } from './store.ts'

export interface MetadataReaderOptions {
  readonly store: MetadataStore
  readonly attempt: Attempt
  readonly settings: Pick<MetadataSettings, 'fetch' | 'allowHttp'>
  readonly logger: Logger
  /** Monotonic milliseconds. */
  readonly now: () => number
  /** Default `Math.random`. */
  readonly random?: () => number
  /** How often to look for work when nothing ends. Default 1,000. */
  readonly pollMs?: number
  /** At least so long between two commits, which then hold the results of that time. Default 200: indexing is hardly held up. */
  readonly spacingMs?: number
}

/** For the metrics. */
export interface MetadataView {
  /** URIs that are to be read, now or later, up to 100,000; `null`: not counted yet. */
  readonly queued: number | null
  readonly underWay: number
  /** Attempts by outcome since the start. */
  readonly outcomes: Readonly<Record<string, number>>
}

/** Reads what metadata URIs lead to, in the background. */
export interface MetadataReader {
  /** Reads while it is subscribed to: what is committed, after it is committed. Never errors. Once ended it can't be begun again. */
  readonly updates: Observable<CommittedBlock>
  view(): MetadataView
  /** Ends `updates` and every request; resolves when no commit is under way any more. */
  stop(): Promise<void>
}

/** At once per lane: memory is bounded by their sum times the size of a document, and no lane waits for another's slow servers. */
const LANES: Readonly<Record<MetadataLane, number>> = { local: 200, gateway: 24, web: 8 }
const LANE_NAMES = Object.keys(LANES) as readonly MetadataLane[]
/** Tokens per commit: some milliseconds. */
const MOST_ANNOUNCED = 200
const MOST_COUNTED = 100_000
const COUNT_EVERY_MS = 10_000
const FIRST_DELAY_MS = 200
const MOST_DELAY_MS = 5_000

export function createMetadataReader(options: MetadataReaderOptions): MetadataReader {
  const { store, attempt, settings, logger, now, random = Math.random, pollMs = 1_000, spacingMs = 200 } = options
  const stopped = new AbortController()
  const underWay = new Map<MetadataWork['key'], MetadataLane>()
  const outcomes = new Map<string, number>()
  /** At most what the lanes hold: nothing is begun before it is recorded. */
  let finished: readonly MetadataRecord[] = []
  /** What is being committed; kept until that has succeeded. */
  let announcing: readonly WaitingToken[] = []
  let queued: number | null = null
  let countedAtMs = Number.NEGATIVE_INFINITY
  let running: Promise<void> = Promise.resolve()
  /** Ends the wait for results, if that is what the loop does. */
  let wake = () => {}

  const begin = async (work: MetadataWork): Promise<void> => {
    underWay.set(work.key, work.lane)
    const attempted = await attempt(work, stopped.signal).catch((err: unknown): Attempted => {
      // A document that we trip over must not end the process, which would read it first thing when it is back.
      logger.error({ err, key: work.key }, 'a metadata document could not be handled')
      return { kind: 'failed', failure: failure('internal') }
    })
    // A request that we ended ourselves says nothing; it stays due.
    if (stopped.signal.aborted) return
    const record = recordOf(work, attempted, random())
    outcomes.set(record.outcome, (outcomes.get(record.outcome) ?? 0) + 1)
    finished = [...finished, record]
    wake()
  }

  const record = async (): Promise<void> => {
    const records = finished
    await store.record(records)
    finished = finished.slice(records.length)
    for (const { key } of records) underWay.delete(key)
  }

  const announce = async (tell: (block: CommittedBlock) => void): Promise<boolean> => {
    if (announcing.length === 0) announcing = await store.unannounced(MOST_ANNOUNCED)
    if (announcing.length === 0) return false
    const block = await store.announce(announcing)
    announcing = []
    if (block !== null) tell(block)
    return true
  }

  const fill = async (): Promise<void> => {
    const held = (lane: MetadataLane) => [...underWay.values()].filter(other => other === lane).length
    const wanted = LANE_NAMES.map(lane => ({ lane, limit: LANES[lane] - held(lane) }))
    const works = await store.due(wanted, [...underWay.keys()])
    for (const work of works) void begin(work)
  }

  const count = async (): Promise<void> => {
    if (now() < countedAtMs + COUNT_EVERY_MS) return
    countedAtMs = now()
    queued = await store.queued(MOST_COUNTED)
  }

  /** One round: results go out before more work comes in. */
  const round = async (tell: (block: CommittedBlock) => void): Promise<'more' | 'idle'> => {
    await record()
    const announced = await announce(tell)
    await fill()
    await count()
    return announced ? 'more' : 'idle'
  }

  /** Ends early when the reader stops, and, where it waits for results, when an attempt has ended. */
  const sleep = (ms: number, forResults = false) =>
    new Promise<void>(resolve => {
      const end = () => {
        clearTimeout(timer)
        stopped.signal.removeEventListener('abort', end)
        wake = () => {}
        resolve()
      }
      const timer = setTimeout(end, ms)
      stopped.signal.addEventListener('abort', end)
      if (forResults) wake = end
      if (stopped.signal.aborted || (forResults && finished.length > 0)) end()
    })

  const run = async (tell: (block: CommittedBlock) => void): Promise<void> => {
    let resumed = false
    let failures = 0
    while (!stopped.signal.aborted) {
      try {
        if (!resumed) await store.resume(outcomesToResume(settings))
        resumed = true
        const state = await round(tell)
        failures = 0
        await sleep(spacingMs)
        if (state === 'idle') await sleep(Math.max(0, pollMs - spacingMs), true)
      } catch (err) {
        if (hasCode(err, 'database_taken')) {
          logger.error({ err }, 'reading metadata has stopped')
          return
        }
        failures++
        if ((failures & (failures - 1)) === 0) logger.warn({ err, failures }, 'metadata could not be stored, trying again')
        await sleep(Math.min(MOST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures - 1, 10)))
      }
    }
  }

  return {
    updates: new Observable(subscriber => {
      running = run(block => subscriber.next(block))
      return () => stopped.abort()
    }),
    view: () => ({ queued, underWay: underWay.size, outcomes: Object.fromEntries(outcomes) }),
    stop: async () => {
      stopped.abort()
      await running
    },
  }
}

/** What a start with these settings may try that one with others had to leave. */
function outcomesToResume({ fetch, allowHttp }: Pick<MetadataSettings, 'fetch' | 'allowHttp'>): readonly string[] {
  return [...(fetch ? ['fetch_off'] : []), ...(fetch && allowHttp ? ['http_off'] : [])]
}
