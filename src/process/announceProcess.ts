import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import process from 'node:process'
import type { Logger } from 'pino'
import { type ProcessReports, startProcessReports } from '#bus/processReports.ts'
import { monotonicMs as now } from '#clock'
import type { IndexerHealth } from '#resources/health.ts'

export interface AnnounceProcessOptions {
  /** URL of the database that the indexer writes. */
  readonly databaseUrl: string
  readonly logger: Logger
  readonly onStop: (stop: () => Promise<void>) => void
  /** The URL at which the process serves. */
  readonly url: string
  /** `null`: the health is not known at present. */
  readonly readHealth: () => Promise<IndexerHealth | null>
}

/** Reports this process to the other processes on its database, and receives their reports. */
export function announceProcess({ databaseUrl, logger, url, readHealth, onStop }: AnnounceProcessOptions): ProcessReports['list'] {
  const fixed = { id: randomUUID(), host: hostname(), pid: process.pid, url }
  const reports = startProcessReports({
    databaseUrl,
    logger,
    now,
    read: async () => {
      const health = await readHealth()
      if (health === null) return null
      const { status, role, standby, version, uptimeSeconds, indexedBlock, lagBlocks, database, feed, realtime } = health
      const { webSocketConnections, eventStreams, subscriptions } = realtime
      const clients = { connections: webSocketConnections + eventStreams, subscriptions }
      return { ...fixed, status, role, standby, version, uptimeSeconds, indexedBlock, lagBlocks, database, feed, ...clients }
    },
  })
  onStop(reports.stop)
  return reports.list
}
