import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { zstdDecompressSync } from 'node:zlib'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { exportedName } from '#store/exports/copyOut.ts'
import type { ColumnKind } from '#store/views/view.ts'
import { EXPORTED, type ExportName } from '#store/views/views.ts'
import { useDatabase } from '#test/support/database.ts'
import { insertManyTrades } from '#test/support/manyTrades.ts'
import { addressOf } from '#test/support/rows.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'
import { insertExportedRows } from '../store/views/exportedRows.ts'

const database = await useDatabase()
const folder = await makeTemporaryFolder()
beforeAll(() => insertExportedRows(database.kysely))

const EXPORT_NAMES = Object.keys(EXPORTED) as ExportName[]
const ENV = { PATH: process.env['PATH'], DATABASE_URL: database.url, LOG_LEVEL: 'silent' }

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const run = (...args: readonly string[]): Promise<Ended> =>
  promisify(execFile)(process.execPath, ['src/commands/export.ts', ...args], { env: ENV }).then(
    ended => ({ code: 0, ...ended }),
    (failed: Ended) => failed,
  )

test('writes JSON lines to standard output, and says on standard error which block they are true for', async () => {
  const { code, stdout, stderr } = await run('trades', '--format', 'ndjson', '--token', addressOf(2))
  expect([code, stdout.split('\n').filter(line => line !== '').length]).toEqual([0, 4])
  expect(stderr).toMatch(/^trades as of block 456 \(0x0+1c8\)\n4 rows of trades as of block 456/)
})

test.each(EXPORT_NAMES)('writes a Parquet file of %s with the values of JSON lines, and the block in its metadata', async name => {
  const out = path.join(folder.path, `${name}.parquet`)
  expect((await run(name, '--format', 'parquet', '--out', out)).code).toBe(0)
  const { buffer } = new Uint8Array(await readFile(out))
  const compressors = { ZSTD: (bytes: Uint8Array) => new Uint8Array(zstdDecompressSync(bytes)) }
  const rows = await parquetReadObjects({ file: buffer, compressors })
  const lines = (await run(name, '--format', 'ndjson')).stdout.trim().split('\n')
  expect(lines.length).toBeGreaterThan(3)
  const { columns } = EXPORTED[name]
  const asInJson = rows.map(row =>
    Object.fromEntries(columns.map(column => [exportedName(column), jsonValueOf(row[exportedName(column)], column.kind)])),
  )
  expect(asInJson).toEqual(lines.map(line => JSON.parse(line) as object))
  expect(parquetMetadata(buffer).key_value_metadata).toContainEqual({ key: 'tokenwire.asOfBlock', value: '456' })
})

/** A value of Parquet as JSON has it. */
function jsonValueOf(value: unknown, kind: ColumnKind): unknown {
  if (value === null) return null
  if (kind === 'json') return JSON.parse(value as string)
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'bigint') return kind === 'block' ? value.toString() : Number(value)
  return value
}

test.for([
  [[], /^expected one of trades, tokens, holders, candles, traders, got nothing\nusage: /],
  [['trades'], /^--format must be one of csv, ndjson, parquet, got nothing\n/],
  [['trades', '--format', 'csv', '--tokn', '1'], /^unknown option --tokn; did you mean --token\?\n/],
  [['trades', '--format', 'csv', '--token', '0x1'], /^--token must be an address/],
  [['trades', '--format', 'csv', '--from', 'yesterday'], /^--from and --to must be Unix seconds, or dates/],
  [['trades', '--format', 'csv', '--from', '2026-02-30'], /^--from and --to must be Unix seconds, or dates/],
  [['trades', '--format', 'csv', '--from', '2026-11-02', '--to', '2026-11-01'], /^--from must not be after --to\n/],
  [['holders', '--format', 'csv', '--from', '1'], /^holders have no time: leave out --from and --to\n/],
  // Each of these gave an export without rows.
  [['trades', '--format', 'csv', '--token', addressOf(99)], new RegExp(`^--token: ${addressOf(99)} is not an indexed token\\n$`)],
  [['trades', '--format', 'csv', '--launchpad', 'tset'], /^--launchpad must be one that has tokens \(test\), got tset\n$/],
] as const)('refuses %j with one sentence', async ([args, expected]) => {
  const { code, stdout, stderr } = await run(...args)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(expected)
})

test('leaves no file behind where nothing more can be written', async () => {
  const missing = path.join(folder.path, 'missing/trades.csv')
  expect(await run('trades', '--format', 'csv', '--out', missing)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`Nothing more can be written to ${missing}: there is no such folder.`),
  })
  expect((await readdir(folder.path)).filter(name => name.startsWith('.'))).toEqual([])
})

test('ends with one sentence when the reader of standard output goes', async () => {
  await insertManyTrades(database.kysely, { count: 50_000, after: 1_000, token: '2', maker: '5' })
  const child = spawn(process.execPath, ['src/commands/export.ts', 'trades', '--format', 'ndjson'], {
    env: ENV,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const closed = once(child, 'close')
  await Promise.race([once(child.stdout, 'data'), closed])
  child.stdout.destroy()
  const [code] = await closed
  expect([code, stderr.trim().split('\n').at(-1)]).toEqual([1, 'Nothing more can be written to standard output: its reader has gone.'])
})

test('says that a full disk is full', async () => {
  const toFull = spawn('/bin/sh', ['-c', `exec "${process.execPath}" src/commands/export.ts trades --format csv > /dev/full`], { env: ENV })
  let stderr = ''
  toFull.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const [code] = await once(toFull, 'close')
  expect([code, stderr.trim().split('\n').at(-1)]).toEqual([1, 'Nothing more can be written to standard output: the disk is full.'])
})

// It ended with 1 and the server's bare words.
test('ends with 75 when the database ends its connections', async () => {
  const child = spawn(process.execPath, ['src/commands/export.ts', 'trades', '--format', 'ndjson'], {
    env: ENV,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const closed = once(child, 'close')
  await once(child.stdout, 'readable')
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'tokenwire-export'`.execute(database.kysely)
  child.stdout.resume()
  const [code] = await closed
  expect([code, stderr.trim().split('\n').at(-1)]).toEqual([
    75,
    expect.stringMatching(/^DATABASE_URL: at .*: the (connection to the )?database /),
  ])
})
