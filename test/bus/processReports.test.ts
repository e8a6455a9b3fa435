import { sql } from 'kysely'
import pino from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { type ProcessReports, startProcessReports } from '#bus/indexerReport.ts'
import type { ProcessReport } from '#resources/health.ts'
import { silentLogger, useDatabase } from '#test/support/database.ts'

const database = await useDatabase({ migrated: false })

const reportOf = (id: string, changed: Partial<ProcessReport> = {}): ProcessReport => ({
  id,
  role: 'gateway',
  standby: false,
  status: 'ok',
  version: '1.2.3',
  uptimeSeconds: 1,
  indexedBlock: '7',
  lagBlocks: 0,
  database: { ok: true, latencyMs: 1 },
  feed: { carrier: 'notify', connected: true, disconnectedMs: 0, waitingMs: 0, behindBlocks: 0, reconnects: 0, replica: null },
  host: 'here',
  pid: 1,
  url: `http://${id}`,
  connections: 0,
  subscriptions: 0,
  ...changed,
})

const start = (report: ProcessReport | null, now = () => 0, logger = silentLogger): ProcessReports => {
  const reports = startProcessReports({ databaseUrl: database.url, read: async () => report, logger, now })
  onTestFinished(() => reports.stop())
  return reports
}

const ids = (reports: ProcessReports) => reports.list().map(({ id }) => id)

test('every process lists all that were heard of lately, indexers first', async () => {
  let now = 0
  const first = start(reportOf('b'), () => now)
  await expect.poll(() => ids(first)).toEqual(['b'])
  const standby = reportOf('z', { role: 'indexer', standby: true })
  start(standby)
  start(reportOf('y', { role: 'indexer' }))
  start(reportOf('a'))
  // One that can't say anything about itself hears of the others.
  start(null)
  await expect.poll(() => ids(first)).toEqual(['y', 'z', 'a', 'b'])
  now = 10_000
  expect(first.list()[1]).toEqual({ ...standby, heardMsAgo: 10_000 })
  now = 15_001
  expect(first.list()).toEqual([])
})

test('a notification that is no report is ignored, and logged now and then', async () => {
  const log: { readonly ignored?: number }[] = []
  const logger = pino({}, { write: (line: string) => void log.push(JSON.parse(line)) })
  const reports = start(reportOf('a'), () => 0, logger)
  await expect.poll(() => ids(reports)).toEqual(['a'])
  const incomplete = [
    '{"id":"x","url":"y"}',
    JSON.stringify({ ...reportOf('x'), status: 'fine' }),
    JSON.stringify({ ...reportOf('x'), feed: null }),
  ]
  for (const payload of ['', 'no JSON', 'null', ...incomplete, JSON.stringify(reportOf('b'))]) {
    await sql`select pg_notify('tokenwire_process', ${payload})`.execute(database.kysely)
  }
  await expect.poll(() => ids(reports)).toEqual(['a', 'b'])
  expect(log.map(({ ignored }) => ignored)).toEqual([1, 2, 4])
})

test('reports that are made up push no process out, and take a bounded part of the list', async () => {
  // It sends no heartbeats, which would replace the last report.
  const reports = start(null)
  const tell = (report: ProcessReport) => sql`select pg_notify('tokenwire_process', ${JSON.stringify(report)})`.execute(database.kysely)
  await expect
    .poll(async () => {
      await tell(reportOf('a'))
      return ids(reports)
    })
    .toEqual(['a'])
  const forged = JSON.stringify({ ...reportOf('ID'), padding: 'x'.repeat(5_000) })
  await sql`select pg_notify('tokenwire_process', replace(${forged}, 'ID', 'z' || n)) from generate_series(1, 1000) n`.execute(
    database.kysely,
  )
  await expect.poll(() => ids(reports).length).toBe(200)
  await tell(reportOf('a', { connections: 7 }))
  await expect.poll(() => reports.list().find(({ id }) => id === 'a')?.connections).toBe(7)
  expect(reports.list()).toHaveLength(200)
  expect(JSON.stringify(reports.list())).not.toContain('xxx')
})
