import { type Kysely, sql } from 'kysely'
import type { Logger } from 'pino'
import type { ProcessReport, ProcessState } from '#resources/processes.ts'
import { processReportSchema } from '#resources/processes.ts'
import { notify } from '#store/connection/databaseSchema.ts'
import { createListener } from '#store/connection/listener.ts'
import { createMessageGuard } from './messageGuard.ts'

const PROCESS_CHANNEL = 'tokenwire_process'
const REPORT_EVERY_MS = 5_000
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
    beatMs: REPORT_EVERY_MS,
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
