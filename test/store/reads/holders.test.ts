import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { HOLDER_TYPES } from '#domain/holder.ts'
import type { HolderCursor, HoldersQuery } from '#resources/holders.ts'
import { MAX_LOOKED_AT, readHolders } from '#store/reads/holders.ts'
import { useDatabase } from '#test/support/database.ts'
import { measuredPlansOf, rowsRead } from '#test/support/explain.ts'
import { addressOf, insertRows, type Row, tokenRow } from '#test/support/rows.ts'
import { type From, pagesOf } from './pagesOf.ts'

const { kysely } = await useDatabase()
const TOKEN = addressOf(1)
const SUPPLY = 1_000_000n

function balanceRow(token: number, holder: number, balance: string, type = 'wallet'): Row {
  return { token: addressOf(token), holder: addressOf(holder), balance, type, last_changed_block: 77 }
}

/** Many equal balances, empty and negative ones among them. */
const balances = fc
  .sample(fc.tuple(fc.constantFrom('-5', '0', '1', '2', '3', '1000', '123456'), fc.constantFrom(...HOLDER_TYPES)), {
    seed: 11,
    numRuns: 200,
  })
  .map(([balance, type], index) => balanceRow(1, 1000 + ((index * 37) % 200), balance, type))

beforeAll(async () => {
  await insertRows(kysely, 'token', [tokenRow(1, { total_supply: SUPPLY.toString() }), tokenRow(2), tokenRow(3, { total_supply: '0' })])
  await insertRows(kysely, 'balance', [...balances, balanceRow(3, 9, '5')])
})

function expectedHolders(excludeTypes: readonly string[]): readonly unknown[] {
  return balances
    .filter(row => BigInt(String(row['balance'])) > 0n)
    .toSorted((a, b) => {
      const difference = BigInt(String(b['balance'])) - BigInt(String(a['balance']))
      return difference === 0n ? (String(a['holder']) < String(b['holder']) ? -1 : 1) : difference > 0n ? 1 : -1
    })
    .map((row, index) => ({ rank: index + 1, address: row['holder'], balance: row['balance'], type: row['type'] }))
    .filter(holder => !excludeTypes.includes(String(holder.type)))
}

const readAll = async (query: Omit<HoldersQuery, 'cursor'>) =>
  (await pagesOf(query.limit, (from: From<HolderCursor>) => readHolders(kysely, { ...query, ...from }))).flat()

describe('a token’s holders', () => {
  test('are given once, largest first with their rank among all, whatever types are left out', async () => {
    const query = fc.record({ excludeTypes: fc.subarray([...HOLDER_TYPES]), limit: fc.constantFrom(1, 7, 50, 500) })
    await fc.assert(
      fc.asyncProperty(query, async ({ excludeTypes, limit }) => {
        const listed = await readAll({ address: TOKEN, excludeType: excludeTypes, limit: limit === 1 ? 13 : limit })
        expect(listed.map(({ rank, address, balance, type }) => ({ rank, address, balance, type }))).toEqual(expectedHolders(excludeTypes))
      }),
      { numRuns: 40 },
    )
  })

  test('have a share of the supply with four decimals', async () => {
    const page = await readHolders(kysely, { address: TOKEN, excludeType: [], limit: 500 })
    const shares = new Map(page?.data.map(holder => [holder.balance, holder.percent]))
    expect(Object.fromEntries(shares)).toEqual({ '123456': 12.3456, '1000': 0.1, '3': 0.0003, '2': 0.0002, '1': 0.0001 })
    expect(page?.data[0]?.lastChangedBlock).toBe('77')
    // A token whose supply was burned to nothing while its Transfer events leave a balance.
    expect((await readHolders(kysely, { address: addressOf(3), excludeType: [], limit: 5 }))?.data[0]?.percent).toBe(0)
  })

  test('are an empty page for a token without holders and nothing for an unknown one', async () => {
    expect(await readHolders(kysely, { address: addressOf(2), excludeType: [], limit: 50 })).toEqual({
      data: [],
      next: null,
      asOfBlock: null,
    })
    expect(await readHolders(kysely, { address: addressOf(4), excludeType: [], limit: 50 })).toBeNull()
  })

  test('are looked for in pages that end early where nearly all types are left out, with their true rank', async () => {
    const token = Buffer.from(addressOf(8).slice(2), 'hex')
    const before = MAX_LOOKED_AT + 299
    await sql`insert into balance select ${token}, substring(sha256(int4send(i)) for 20), 1000000 - i, 'wallet', 1
      from generate_series(1, ${before}) as i`.execute(kysely)
    await insertRows(kysely, 'token', [tokenRow(8)])
    await insertRows(kysely, 'balance', [balanceRow(8, 5, '3', 'pool')])
    const query = { address: addressOf(8), excludeType: ['wallet'], limit: 50 } as const
    const first = await readHolders(kysely, query)
    expect(first?.data).toEqual([])
    expect(first?.next?.rank).toBe(MAX_LOOKED_AT)
    const second = await readHolders(kysely, first?.next ? { ...query, cursor: first.next } : query)
    expect(second).toMatchObject({ data: [{ rank: before + 1, address: addressOf(5), type: 'pool' }], next: null })
  })

  // A page without some types read each of 2,000 rows, which took more than ten seconds from a slow disk.
  test('are chosen by index alone and read by their key, from the first page and from a cursor among equals', async () => {
    await sql`insert into balance select ${Buffer.from(addressOf(7).slice(2), 'hex')}, substring(sha256(int4send(i)) for 20), 10 + i % 3, 'wallet', 1
      from generate_series(1, 6000) as i`.execute(kysely)
    await insertRows(kysely, 'token', [tokenRow(7)])
    await sql`vacuum (analyze) balance`.execute(kysely)
    const query = { address: addressOf(7), excludeType: ['wallet'] as const, limit: 50 }
    const cursor = { balance: '11', address: addressOf(1), rank: 2000 }
    const plans = [
      ...(await measuredPlansOf(kysely, db => readHolders(db, query))),
      ...(await measuredPlansOf(kysely, db => readHolders(db, { ...query, cursor }))),
    ]
    expect(plans.length).toBe(4)
    for (const nodes of plans) {
      const reads = nodes
        .filter(node => node['Relation Name'] === 'balance')
        .map(node => [node['Node Type'], node['Index Name'], rowsRead(node), node['Heap Fetches'] ?? null])
      expect(reads).toEqual([
        ['Index Only Scan', 'balance_by_size', MAX_LOOKED_AT, 0],
        // The last one that was looked at.
        ['Index Scan', 'balance_pkey', 1, null],
      ])
      const sorted = nodes.filter(node => node['Node Type'] === 'WindowAgg').flatMap(node => node.Plans ?? [])
      expect(sorted.map(node => node['Node Type'])).toEqual(['Index Only Scan'])
    }
  })
})
