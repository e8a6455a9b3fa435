import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { beforeAll, expect, test } from 'vitest'
import { closeAfterFile } from '#test/support/closeAfterFile.ts'
import { useDatabase } from '#test/support/database.ts'
import { insertManyTrades } from '#test/support/manyTrades.ts'
import { addressOf } from '#test/support/rows.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'
import { insertExportedRows } from '../store/views/exportedRows.ts'

const database = await useDatabase()
const folder = await makeTemporaryFolder()
closeAfterFile(() => folder.remove())
beforeAll(() => insertExportedRows(database.kysely))

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

test('writes a Parquet file with the same values, and the block in its metadata', async () => {
  const out = path.join(folder.path, 'tokens.parquet')
  expect((await run('tokens', '--format', 'parquet', '--out', out)).code).toBe(0)
  const { buffer } = new Uint8Array(await readFile(out))
  const rows = await parquetReadObjects({ file: buffer })
  const lines = (await run('tokens', '--format', 'ndjson')).stdout.trim().split('\n')
  const [token] = lines.map(
    line => JSON.parse(line) as { symbol: string; market: { holderCount: number }; sequence: number; updatedAt: string },
  )
  expect(rows).toHaveLength(lines.length)
  expect(rows[0]).toMatchObject({
    symbol: token?.symbol,
    'market.holderCount': BigInt(token?.market.holderCount ?? -1),
    'market.priceWeth': null,
    sequence: BigInt(token?.sequence ?? -1),
    updatedAt: new Date(token?.updatedAt ?? 0),
  })
  expect(parquetMetadata(buffer).key_value_metadata).toContainEqual({ key: 'tokenwire.asOfBlock', value: '456' })
})

test.for([
  [[], /^expected one of trades, tokens, holders, candles, traders, got nothing\nusage: /],
  [['trades'], /^--format must be one of csv, ndjson, parquet, got nothing\n/],
  [['trades', '--format', 'csv', '--tokn', '1'], /^unknown option --tokn; did you mean --token\?\n/],
  [['trades', '--format', 'csv', '--token', '0x1'], /^--token must be an address/],
  [['trades', '--format', 'csv', '--from', 'yesterday'], /^--from and --to must be Unix seconds, or dates/],
  [['trades', '--format', 'csv', '--from', '2026-11-02', '--to', '2026-11-01'], /^--from must not be after --to\n/],
  [['holders', '--format', 'csv', '--from', '1'], /^holders have no time: leave out --from and --to\n/],
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
  await once(child.stdout, 'data')
  child.stdout.destroy()
  const [code] = await once(child, 'close')
  expect([code, stderr.trim().split('\n').at(-1)]).toEqual([1, 'Nothing more can be written to standard output: its reader has gone.'])
})

test('says that a full disk is full', async () => {
  const toFull = spawn('/bin/sh', ['-c', `exec "${process.execPath}" src/commands/export.ts trades --format csv > /dev/full`], { env: ENV })
  let stderr = ''
  toFull.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const [code] = await once(toFull, 'close')
  expect([code, stderr.trim().split('\n').at(-1)]).toEqual([1, 'Nothing more can be written to standard output: the disk is full.'])
})
