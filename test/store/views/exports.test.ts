import { buffer, text } from 'node:stream/consumers'
import { sql } from 'kysely'
import pino from 'pino'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { withSchema } from '#domain/databaseUrl.ts'
import { balanceWithUsd } from '#resources/wallet.ts'
import { isOfDatabase } from '#store/connection/databaseErrors.ts'
import { SERVED_MARK } from '#store/connection/databaseSchema.ts'
import { createTransaction } from '#store/connection/transaction.ts'
import { copyOut, type ExportFilter, exportedName } from '#store/exports/copyOut.ts'
import { migrate } from '#store/migrations/migrate.ts'
import { createReads } from '#store/reads/reads.ts'
import { EXPORTED, type ExportName } from '#store/views/views.ts'
import { silentLogger, useDatabase } from '#test/support/database.ts'
import { insertManyTrades } from '#test/support/manyTrades.ts'
import { addressOf } from '#test/support/rows.ts'
import { insertExportedRows, TOKENS } from './exportedRows.ts'

const database = await useDatabase()
const reads = createReads({ db: database.kysely, chainId: 31_337, weth: addressOf(0x3e7), claimCall: () => null })
beforeAll(() => insertExportedRows(database.kysely))

const plain = new URL(database.url)
plain.searchParams.delete('options')
const SOURCE = { url: database.url, isReplica: false, logger: silentLogger }

async function exported(name: ExportName, lines: 'csv' | 'json', filter: ExportFilter = {}): Promise<string> {
  let copied = ''
  await copyOut(SOURCE, { view: EXPORTED[name], filter, lines }, async ranges => {
    for await (const range of ranges) copied += await text(range)
  })
  return copied
}

const rowsOf = async (name: ExportName, filter: ExportFilter = {}) =>
  (await exported(name, 'json', filter))
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line) as Record<string, unknown>)

/** The item of REST as a row: a column for each field within its objects, each `null` where the object is. */
function rowOf(name: ExportName, item: object): Record<string, unknown> {
  const columns = EXPORTED[name].columns.map(exportedName)
  const flat = (value: unknown, at: string): (readonly [string, unknown])[] => {
    const within = columns.filter(column => column.startsWith(`${at}_`))
    if (within.length === 0) return [[at, value]]
    if (value === null) return within.map(column => [column, null])
    return Object.entries(value as object).flatMap(([field, below]) => flat(below, `${at}_${field}`))
  }
  return Object.fromEntries(Object.entries(item).flatMap(([field, value]) => flat(value, field)))
}

/** REST's items of one token, and the exported ones without what REST has in the path. */
const pageOf = { limit: 500 }

describe('an export equals REST', () => {
  it.each(TOKENS)('in the token %s, field by field and in their order', async address => {
    const [row] = await rowsOf('tokens', { token: address })
    const token = await reads.token({ address })
    const expected = rowOf('tokens', token ?? expect.unreachable())
    expect(row).toEqual(expected)
    expect(Object.keys(row ?? {})).toEqual(Object.keys(expected))
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

// 71 of the 91 columns of tokens had points: BigQuery refuses them, and ClickHouse read nulls.
test.each(Object.keys(EXPORTED) as ExportName[])('every name of a column of %s is one that warehouses take', name => {
  const names = EXPORTED[name].columns.map(exportedName)
  expect(names.filter(column => !/^[a-z][A-Za-z0-9_]{0,62}$/.test(column))).toEqual([])
  // BigQuery and others don't tell small letters from capitals.
  expect(new Set(names.map(column => column.toLowerCase())).size).toBe(names.length)
})

test('CSV quotes what needs it, and tells an empty text from none', async () => {
  const csv = await exported('tokens', 'csv', { token: addressOf(1) })
  expect(csv).toContain(`"a ""quoted"", \\ text\nof two lines\twith a tab",=1+1,`)
  expect(csv).toContain(',"{""a"":""\\u0000""}",')
})

test('an export of nothing has no rows, and one that its receiver gives up ends', async () => {
  expect(await rowsOf('trades', { from: 1, to: 2 })).toEqual([])
  await expect(rowsOf('tokens', { token: addressOf(0xdead) })).rejects.toThrow(`--token: ${addressOf(0xdead)} is not an indexed token`)
  const gone = copyOut(SOURCE, { view: EXPORTED.trades, filter: {}, lines: 'csv' }, () => Promise.reject(new Error('the reader has gone')))
  await expect(gone).rejects.toThrow('the reader has gone')
})

describe('a large table, which is read in ranges', () => {
  const read = async (source: typeof SOURCE, whileReading = () => Promise.resolve()) => {
    const ids: string[] = []
    const copies: number[] = []
    const exported = { view: EXPORTED.trades, filter: { to: 1_699_999_999 }, lines: 'json' } as const
    const { rows } = await copyOut(source, exported, async ranges => {
      await whileReading()
      for await (const range of ranges) {
        const lines = (await text(range)).split('\n').slice(0, -1)
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

  // The second connection went to the other schema, and every second range was missing.
  it('is of one index, also when another one is served before the second connection', async () => {
    await migrate(withSchema(plain.href, 'next'), silentLogger)
    const reading = createTransaction(database.orm)(async db => {
      await sql`lock table public.launchpad_totals`.execute(db)
      const waiting = sql`select from pg_stat_activity where application_name = 'tokenwire-export' and wait_event_type = 'Lock'`
      const ids = read({ ...SOURCE, url: plain.href })
      await expect.poll(async () => (await waiting.execute(database.kysely)).rows.length).toBe(1)
      await sql`comment on table next.block_undo is ${sql.lit(SERVED_MARK)}`.execute(database.kysely)
      return { ids }
    })
    expect((await (await reading).ids).rows).toBe(30_010)
    await sql`drop schema next cascade`.execute(database.kysely)
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

  // The export waited for ever for the reader whose turn came after its connection was lost.
  it('ends when its connections are lost while no statement runs', async () => {
    // Three ranges: the first connection begins the last one when it is already lost.
    await insertTrades(50_000, 15_000)
    const sessions = sql<{ state: string }>`select state from pg_stat_activity
      where datname = current_database() and application_name = 'tokenwire-export'`
    const endSessions = async () => {
      const states = async () => (await sessions.execute(database.kysely)).rows.map(({ state }) => state)
      await expect.poll(states).toEqual(['idle in transaction', 'idle in transaction'])
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'tokenwire-export'`.execute(database.kysely)
      await expect.poll(states).toEqual([])
    }
    const reading = copyOut(SOURCE, { view: EXPORTED.trades, filter: {}, lines: 'csv' }, async ranges => {
      let count = 0
      for await (const range of ranges) {
        await buffer(range)
        if (++count === 1) await endSessions()
      }
    })
    await expect(reading).rejects.toSatisfy(isOfDatabase)
  })
})
