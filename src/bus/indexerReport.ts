import { coalesce } from '#async/coalesce.ts'
import { repeat } from '#async/repeat.ts'
import type { IndexerState } from '#resources/indexerState.ts'
import { indexerReportSchema } from '#resources/processes.ts'
import { databaseCause } from '#store/connection/databaseCause.ts'
import { databaseFault } from '#store/connection/databaseErrors.ts'
import { channelOfSchema, notify } from '#store/connection/databaseSchema.ts'
import type { Queryable } from '#store/connection/queryable.ts'

/** An indexer's report on itself and the chain: gateways have no providers of their own. */
export interface IndexerReport {
  /** The name under which it has claimed the database: a new one at each start. */
  readonly writer: string
  readonly state: IndexerState
  readonly chain: { readonly headBlock: number | null; readonly blockTimeMs: number | null; readonly baseFeeGwei: string | null }
  /** Whether its connection to NATS is up. Absent: it has none. */
  readonly natsConnected?: boolean
}

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

/** @throws when the payload is no report: every role that may connect to the database may notify */
export function parseIndexerReport(payload: string): IndexerReport {
  return indexerReportSchema.parse(JSON.parse(payload))
}

/** The report as JSON. If it is too long, the details are left out, then the providers, the launchpads that change, and the reason. */
export function encodeReport({ state, ...rest }: IndexerReport): string {
  const shortest = { ...state, details: [], rpc: [], launchpads: [] }
  const shorter = [state, { ...state, details: [] }, { ...state, details: [], rpc: [] }, shortest]
  const texts = shorter.map(one => JSON.stringify({ state: one, ...rest }))
  return texts.find(text => Buffer.byteLength(text) <= MAX_BYTES) ?? JSON.stringify({ state: { ...shortest, reason: null }, ...rest })
}
