import { type Kysely, sql } from 'kysely'
import type { Logger } from 'pino'
import { coalesce } from '#async/coalesce.ts'
import { isLogged, repeat } from '#async/pause.ts'
import { messageOf } from '#errors'
import {
  type IndexerReport,
  type IndexingView,
  indexerReportSchema,
  type ProcessReport,
  type ProcessState,
  processReportSchema,
  stateAfterSilence,
  UNKNOWN_INDEXER,
} from '#resources/health.ts'
import { databaseCause, databaseFault } from '#store/connection/databaseErrors.ts'
import { channelOfSchema, notify, type Queryable } from '#store/connection/databaseSchema.ts'
import { createListener } from '#store/connection/listener.ts'

/** The channel of reports, in each schema one of its own. */
export const INDEXER_CHANNEL = 'tokenwire_indexer'

const REPORT_EVERY_MS = 1_000
/** Below PostgreSQL's limit for the payload of a notification, 8,000 bytes. */
const MAX_BYTES = 7_900

/** PostgreSQL itself warns in its log from here on. */
const MAX_QUEUE_USAGE = 0.5

export interface ReportsAnnounced {
  /** What is wrong with the database's notifications, by the newest report; empty: nothing is, or the database can't be used at all. */
  problems(): readonly string[]
  stop(): Promise<void>
}

/** Announces the indexer's report now, and then once a second. Commits are announced in the same way. */
export function announceReports(db: Queryable, read: () => IndexerReport): ReportsAnnounced {
  let problem: string | null = null
  const reports = coalesce<null>(
    async () => {
      const usage = await notify(db, channelOfSchema(INDEXER_CHANNEL), encodeReport(read()))
      problem = usage > MAX_QUEUE_USAGE ? fillingQueue(usage) : null
    },
    // Health shows when the database does not answer.
    error => {
      problem = databaseFault(error) === 'unavailable' ? null : failingQueue(error)
    },
  )
  reports.request(null)
  const stop = repeat(REPORT_EVERY_MS, () => reports.request(null))
  return {
    problems: () => (problem === null ? [] : [problem]),
    stop: async () => {
      stop()
      reports.stop()
      await reports.settled()
    },
  }
}

const QUEUE_REMEDY = 'all databases of a server share one; its log names the process that holds it up: end that with pg_terminate_backend'

function fillingQueue(usage: number): string {
  const percent = Math.floor(usage * 100)
  return `the queue of notifications of the database's server is ${percent} % full, and commits reach gateways late once it is full: ${QUEUE_REMEDY}`
}

function failingQueue(error: unknown): string {
  const shown = databaseCause(error)?.shown ?? 'it takes no notifications'
  return `the database does not announce commits to gateways, which look for them themselves, some seconds late: ${shown}`
}

function shownProblems(problems: readonly string[]): readonly string[] {
  const more = problems.length - SHOWN_PROBLEMS
  return more <= 1 ? problems : [...problems.slice(0, SHOWN_PROBLEMS), `${more} more problems, which the health of the indexer itself has`]
}

/** @throws when the payload is no report: every role that may connect to the database may notify */
export function parseIndexerReport(payload: string): IndexerReport {
  return indexerReportSchema.parse(JSON.parse(payload))
}

/** Of up to 200 webhooks each may be a problem. */
const SHOWN_PROBLEMS = 5

/**
 * The report as JSON. If it is too long, the details are left out, then most of the problems, the providers, the launchpads that change,
 * and what is left of problems with the reason.
 */
export function encodeReport({ state, ...rest }: IndexerReport): string {
  const problems = shownProblems(state.problems)
  const shorter = [
    state,
    { ...state, details: [] },
    { ...state, details: [], problems },
    { ...state, details: [], problems, rpc: [] },
    { ...state, details: [], problems, rpc: [], launchpads: [] },
  ]
  const shortest = { ...state, details: [], problems: [], rpc: [], launchpads: [] }
  const texts = shorter.map(one => JSON.stringify({ state: one, ...rest }))
  return texts.find(text => Buffer.byteLength(text) <= MAX_BYTES) ?? JSON.stringify({ state: { ...shortest, reason: null }, ...rest })
}

/** Reports come once a second, and a standby takes over within this time. */
const SILENT_AFTER_MS = 30_000
/** An indexer of which only commits are seen is alive for this long after one. */
const IDLE_AFTER_MS = 60_000

/**
 * What a gateway knows of its indexer. When no report has come for half a minute, the newest may no longer be true: `stalled`, unless
 * blocks are still committed, so that only the reports are lost.
 */
export interface IndexerStatus extends IndexingView {
  update(report: IndexerReport): void
  /** Takes the newest block in the database. */
  committed(block: number): void
}

export function createIndexerStatus(now: () => number): IndexerStatus {
  let state = UNKNOWN_INDEXER
  let chain: IndexerReport['chain'] = { headBlock: null, blockTimeMs: null, baseFeeGwei: null }
  let updatedAtMs = now()
  let committed: { readonly block: number; readonly atMs: number | null } | null = null
  return {
    update: report => {
      state = report.state
      chain = report.chain
      updatedAtMs = now()
    },
    committed: block => {
      // The block that is there at the first look may be old.
      if (committed?.block !== block) committed = { block, atMs: committed === null ? null : now() }
    },
    state: () => {
      const silentMs = now() - updatedAtMs
      if (silentMs <= SILENT_AFTER_MS) return state
      const silent = stateAfterSilence(state, 'the indexer', silentMs)
      if (committed === null || committed.atMs === null || now() - committed.atMs > IDLE_AFTER_MS) return silent
      return { ...silent, indexedBlock: committed.block, stalled: false, reason: UNREPORTED }
    },
    chain: () => chain,
  }
}

const UNREPORTED = 'the indexer commits blocks, but its reports do not come: the database does not pass notifications on'

const PROCESS_CHANNEL = 'tokenwire_process'
const PROCESS_REPORT_EVERY_MS = 5_000
/** A process whose last report is older is not listed. */
const LISTED_FOR_MS = 15_000
/** Bounds what forged reports take: every role that may connect to the database may notify. */
const MAX_LISTED = 200

export interface ProcessReportsOptions {
  /** URL of the database that the indexer writes. */
  readonly databaseUrl: string
  /** Reads the report of this process, with the same `id` each time; `null`: it can't be read at present. */
  readonly read: () => Promise<ProcessReport | null>
  readonly logger: Logger
  /** `monotonicMs`. */
  readonly now: () => number
}

export interface ProcessReports {
  /** The processes on this database that reported in the last 15 s, this one included, at most 200: indexers first, then by URL. */
  list(): readonly ProcessState[]
  stop(): Promise<void>
}

/**
 * Reports this process to the others on its database every 5 s, and receives their reports. PostgreSQL carries them, whatever carries
 * the committed blocks: every process has a connection to it, and notifying takes no right to write.
 */
export function startProcessReports({ databaseUrl, read, logger, now }: ProcessReportsOptions): ProcessReports {
  const heard = new Map<string, { readonly report: ProcessReport; readonly atMs: number }>()

  const guarded = createMessageGuard(logger)

  const forgetSilent = () => {
    for (const [id, { atMs }] of heard) if (now() - atMs > LISTED_FOR_MS) heard.delete(id)
  }

  const listener = createListener({
    url: databaseUrl,
    channels: [PROCESS_CHANNEL],
    scope: 'database',
    // Silent: the parts that need the database log that it is away.
    logger: logger.child({}, { level: 'silent' }),
    onListening: () => undefined,
    onNotification: (channel, payload) =>
      void guarded(channel, () => {
        const report: ProcessReport = processReportSchema.parse(JSON.parse(payload))
        forgetSilent()
        if (heard.size < MAX_LISTED || heard.has(report.id)) heard.set(report.id, { report, atMs: now() })
      }),
    beatMs: PROCESS_REPORT_EVERY_MS,
    beat: async (session: Kysely<unknown>) => {
      const report = await read()
      if (report !== null) await notify(session, sql`${PROCESS_CHANNEL}`, JSON.stringify(report))
    },
  })

  return {
    list: () => {
      forgetSilent()
      return [...heard.values()]
        .map(({ report, atMs }): ProcessState => ({ ...report, heardMsAgo: Math.round(now() - atMs) }))
        .toSorted((a, b) => rankOf(a) - rankOf(b) || compareTexts(a.url, b.url) || compareTexts(a.id, b.id))
    },
    stop: () => listener.stop(),
  }
}

function rankOf({ role, standby }: ProcessReport): number {
  return standby ? 1 : role === 'gateway' ? 2 : 0
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** @returns false: `take` threw, and the message is ignored */
export type MessageGuard = (channel: string, take: () => void) => boolean

const MAX_REASON = 200

/**
 * Guards against messages of any process that may connect to the database or to NATS. `take` reads a message, and throws if no process of
 * this version sends such a message. Ignored messages are counted, and the first, second, fourth, eighth … of them is logged.
 */
export function createMessageGuard(logger: Logger): MessageGuard {
  let ignored = 0
  return (channel, take) => {
    try {
      take()
      return true
    } catch (error) {
      ignored++
      if (isLogged(ignored)) {
        const reason = messageOf(error).slice(0, MAX_REASON)
        logger.warn({ channel, ignored, reason }, 'a message that no process of this version sends was ignored')
      }
      return false
    }
  }
}
