import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { balanceWithUsd } from '#resources/valuedBalance.ts'
import { copiedLines } from '#store/exports/copiedLines.ts'
import { copyOut } from '#store/exports/copyOut.ts'
import { copyStatement, type ExportFilter } from '#store/exports/copyStatement.ts'
import { createReads } from '#store/reads/reads.ts'
import { EXPORTED, type ExportName } from '#store/views/views.ts'
import { silentLogger, useDatabase } from '#test/support/database.ts'
import { addressOf } from '#test/support/rows.ts'
import { insertExportedRows, TOKENS } from './exportedRows.ts'

const database = await useDatabase()
const reads = createReads({ db: database.kysely, chainId: 31_337, weth: addressOf(0x3e7), claimCall: () => null })
beforeAll(() => insertExportedRows(database.kysely))

async function exported(name: ExportName, format: 'csv' | 'ndjson', filter: ExportFilter = {}): Promise<string> {
  let copied = ''
  await copyOut(
    { url: database.url, isReplica: false, logger: silentLogger },
    copyStatement(EXPORTED[name], format, filter),
    async bytes => {
      copied = await text(format === 'csv' ? bytes : Readable.from(copiedLines(bytes)))
    },
  )
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
  expect(await rowsOf('trades', { launchpad: `it's` })).toEqual([])
  expect(await rowsOf('holders', { launchpad: 'test' })).toHaveLength(12)
})

test('CSV has the names of REST in its first line, and quotes what needs it', async () => {
  const csv = await exported('tokens', 'csv', { token: addressOf(1) })
  expect(csv).toMatch(/^chainId,address,symbol,name,.*,market\.priceWeth,/)
  expect(csv).toContain(`"a ""quoted"", \\ text\nof two lines\twith a tab",=1+1,`)
})

test('an export of nothing has no rows, and one that its receiver gives up ends', async () => {
  expect(await rowsOf('tokens', { token: addressOf(0xdead) })).toEqual([])
  const gone = copyOut({ url: database.url, isReplica: false, logger: silentLogger }, copyStatement(EXPORTED.trades, 'csv', {}), () =>
    Promise.reject(new Error('the reader has gone')),
  )
  await expect(gone).rejects.toThrow('the reader has gone')
})
