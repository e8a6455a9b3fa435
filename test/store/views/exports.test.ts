import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import pino from 'pino'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { balanceWithUsd } from '#resources/valuedBalance.ts'
import { copyOut } from '#store/exports/copyOut.ts'
import type { ExportFilter } from '#store/exports/copyStatement.ts'
import { csvLinesOf } from '#store/exports/csvLines.ts'
import { jsonLinesOf } from '#store/exports/jsonLines.ts'
import { createReads } from '#store/reads/reads.ts'
import { EXPORTED, type ExportName } from '#store/views/views.ts'
import { silentLogger, useDatabase } from '#test/support/database.ts'
import { insertManyTrades } from '#test/support/manyTrades.ts'
import { addressOf } from '#test/support/rows.ts'
import { insertExportedRows, TOKENS } from './exportedRows.ts'

const database = await useDatabase()
const reads = createReads({ db: database.kysely, chainId: 31_337, weth: addressOf(0x3e7), claimCall: () => null })
beforeAll(() => insertExportedRows(database.kysely))

const SOURCE = { url: database.url, isReplica: false, logger: silentLogger }

async function exported(name: ExportName, format: 'csv' | 'ndjson', filter: ExportFilter = {}): Promise<string> {
  let copied = ''
  const view = EXPORTED[name]
  const encode = format === 'csv' ? csvLinesOf(view) : jsonLinesOf(view)
  await copyOut(SOURCE, { view, filter }, async ranges => {
    copied = await text(encode(ranges))
  })
  return copied
}

const rowsOf = async (name: ExportName, filter: ExportFilter = {}) =>
  (await exported(name, 'ndjson', filter))
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line) as Record<string, unknown>)

/** REST's items of one token, and the exported ones without what REST has in the path. */
const pageOf = { limit: 500 }

describe('an export equals REST', () => {
  it.each(TOKENS)('in the token %s, field by field and in their order', async address => {
    const [row] = await rowsOf('tokens', { token: address })
    const token = await reads.token({ address })
    expect(row).toEqual(token)
    expect(JSON.stringify(row)).toBe(JSON.stringify(token))
  })

  it.each(TOKENS)('in the trades of %s', async address => {
    const page = await reads.trades({ address, order: 'asc', sort: 'time', ...pageOf })
    expect(await rowsOf('trades', { token: address })).toEqual(page?.data)
    expect(page?.data).toHaveLength(4)
  })

  it.each(TOKENS)('in the holders of %s', async address => {
    const page = await reads.holders({ address, excludeType: [], ...pageOf })
    expect(await rowsOf('holders', { token: address })).toEqual(page?.data.map(item => ({ token: address, ...item })))
  })

  it.each(TOKENS)('in the traders of %s', async address => {
    const page = await reads.traders({ address, sort: 'balance', ...pageOf })
    const expected = page?.data.map(item => ({ token: address, ...balanceWithUsd(item, null) })) ?? []
    const byAddress = (a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)
    expect((await rowsOf('traders', { token: address })).toSorted(byAddress)).toEqual(expected.toSorted(byAddress))
  })

  it.each(TOKENS)('in the candles of %s', async address => {
    const page = await reads.candles({ address, interval: '1m', of: 'price', currency: 'weth', fill: false, ...pageOf })
    const rows = (await rowsOf('candles', { token: address })).filter(({ interval }) => interval === '1m')
    expect(rows.map(({ time, open, high, low, close, volume, trades }) => ({ time, open, high, low, close, volume, trades }))).toEqual(
      page?.data,
    )
  })
})

test('an export has the rows of its filters only, in order', async () => {
  const trades = await rowsOf('trades', { from: 1_700_000_024, to: 1_700_000_044 })
  expect(trades.map(({ id }) => id)).toEqual(['12-0', '12-3', '13-0', '13-3', '20-1', '21-1', '22-1'])
  await expect(rowsOf('trades', { launchpad: `it's` })).rejects.toThrow(`--launchpad must be one that has tokens (test), got it's`)
  expect(await rowsOf('holders', { launchpad: 'test' })).toHaveLength(12)
})

test('CSV has the names of REST in its first line, and quotes what needs it', async () => {
  const csv = await exported('tokens', 'csv', { token: addressOf(1) })
  expect(csv).toMatch(/^chainId,address,symbol,name,.*,market\.priceWeth,/)
  expect(csv).toContain(`"a ""quoted"", \\ text\nof two lines\twith a tab",=1+1,`)
})

test('an export of nothing has no rows, and one that its receiver gives up ends', async () => {
  expect(await rowsOf('trades', { from: 1, to: 2 })).toEqual([])
  await expect(rowsOf('tokens', { token: addressOf(0xdead) })).rejects.toThrow(`--token: ${addressOf(0xdead)} is not an indexed token`)
  const gone = copyOut(SOURCE, { view: EXPORTED.trades, filter: {} }, () => Promise.reject(new Error('the reader has gone')))
  await expect(gone).rejects.toThrow('the reader has gone')
})

describe('a large table, which is read in ranges', () => {
  const read = async (source: typeof SOURCE, whileReading = () => Promise.resolve()) => {
    const encode = jsonLinesOf(EXPORTED.trades)
    const ids: string[] = []
    const copies: number[] = []
    const exported = { view: EXPORTED.trades, filter: { to: 1_699_999_999 } }
    const { rows } = await copyOut(source, exported, async ranges => {
      await whileReading()
      for await (const range of ranges) {
        const lines = (await text(encode(Readable.from([range])))).split('\n').slice(0, -1)
        ids.push(...lines.map(line => (JSON.parse(line) as { id: string }).id))
        copies.push(lines.length)
      }
    })
    return { rows, ids, copies }
  }
  const insertTrades = (after: number, count: number) => insertManyTrades(database.kysely, { count, after, token: '2', maker: '5' })
  const expectedIds = Array.from({ length: 30_000 }, (_, index) => `${index + 5_001}-0`)
  beforeAll(() => insertTrades(5_000, 30_000))

  it('has each row once and in order, as of one moment', async () => {
    const { rows, ids, copies } = await read(SOURCE, () => insertTrades(40_000, 10))
    expect(ids).toEqual(expectedIds)
    expect(rows).toBe(30_000)
    expect(copies.length).toBeGreaterThan(1)
    expect((await read(SOURCE)).rows).toBe(30_010)
  })

  it('is read by one connection where a second one does not see the same snapshot, as on another server', async () => {
    await sql`create schema elsewhere`.execute(database.kysely)
    await sql`create function elsewhere.pg_export_snapshot() returns text language sql return '00000003-0000001B-1'`.execute(
      database.kysely,
    )
    const url = new URL(database.url)
    url.searchParams.set('options', '-csearch_path=elsewhere,public,pg_catalog')
    const said: string[] = []
    const logger = pino({ level: 'info' }, { write: line => said.push((JSON.parse(line) as { msg: string }).msg) })
    expect((await read({ ...SOURCE, url: url.href, logger })).rows).toBe(30_010)
    expect(said).toEqual(['the export reads with one connection, since a second one does not see its snapshot'])
  })
})
