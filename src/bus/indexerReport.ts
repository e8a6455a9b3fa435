import { sql } from 'kysely'
import { coalesce } from '#async/coalesce.ts'
import { repeat } from '#async/repeat.ts'
import type { IndexerState } from '#resources/indexerState.ts'
import { indexerReportSchema } from '#resources/processes.ts'
import { channelOfSchema } from '#store/connection/databaseSchema.ts'
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

/** Announces the indexer's report now, and then once a second. @returns a function that ends it */
export function announceReports(db: Queryable, read: () => IndexerReport): () => Promise<void> {
  const reports = coalesce<null>(
    async () => {
      await sql`select pg_notify(${channelOfSchema(INDEXER_CHANNEL)}, ${encodeReport(read())})`.execute(db)
    },
    // Not logged: health shows that the database does not answer, and gateways show that no report comes.
    () => undefined,
  )
  reports.request(null)
  const stop = repeat(REPORT_EVERY_MS, () => reports.request(null))
  return async () => {
    stop()
    reports.stop()
    await reports.settled()
  }
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
