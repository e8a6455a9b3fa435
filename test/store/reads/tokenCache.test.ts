import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import type { Token } from '#resources/token.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { TokenCache, type TokenVersion } from '#store/reads/tokenCache.ts'
import { readTokens } from '#store/reads/tokens.ts'
import { useDatabase } from '#test/support/database.ts'
import { addressOf, chainStateRow, insertRows, tokenRow } from '#test/support/rows.ts'

const CHAIN_ID = 31337
const QUERY = { sort: 'createdAt', order: 'asc', limit: 3 } as const
const { kysely, clear } = await useDatabase()

let nowMs: number
let kept: TokenCache

beforeEach(async () => {
  await clear()
  await insertRows(kysely, 'chain_state', [chainStateRow({ cursor_number: 460 })])
  const tokens = [1, 2, 3].map(index => tokenRow(index, { created_at: 1_700_000_000 + index, sequence: 10, symbol: `T${index}` }))
  await insertRows(kysely, 'token', tokens)
  nowMs = 0
  kept = new TokenCache(kysely, CHAIN_ID, () => nowMs)
})

async function list(from = kept): Promise<readonly Token[]> {
  return (await readTokens(kysely, QUERY, from)).data
}

/** What a commit does: another row, and with it a higher sequence. */
async function commit(index: number, symbol: string): Promise<void> {
  await sql`update token set symbol = ${symbol}, sequence = sequence + 1 where created_at = ${1_700_000_000 + index}`.execute(kysely)
}

test('lists share the tokens that have not changed, also while they are being read', async () => {
  const [first, together, later] = [...(await Promise.all([list(), list()])), await list()]
  expect(first?.map(({ symbol }) => symbol)).toEqual(['T1', 'T2', 'T3'])
  for (const other of [together, later]) for (const [index, token] of (other ?? []).entries()) expect(token).toBe(first?.[index])
})

test('reads a token again once a commit has raised its sequence, and no other', async () => {
  const before = await list()
  await commit(2, 'NEW')
  const after = await list()
  expect(after.map(({ symbol, sequence }) => [symbol, sequence])).toEqual([
    ['T1', 10],
    ['NEW', 11],
    ['T3', 10],
  ])
  expect([after[0] === before[0], after[2] === before[2]]).toEqual([true, true])
})

test('a list between whose reads a commit comes is of after the commit', async () => {
  class Interrupted extends TokenCache {
    #isFirst = true

    override async at(versions: readonly TokenVersion[]): Promise<readonly Token[] | null> {
      if (this.#isFirst) await sql`update token set created_at = 1, sequence = sequence + 1 where symbol = 'T3'`.execute(kysely)
      this.#isFirst = false
      return super.at(versions)
    }
  }
  const listed = await list(new Interrupted(kysely, CHAIN_ID, () => nowMs))
  expect(listed.map(({ symbol, sequence }) => [symbol, sequence])).toEqual([
    ['T3', 11],
    ['T1', 10],
    ['T2', 10],
  ])
})

test('reads a token again after a minute, so that a statement that raises no sequence shows', async () => {
  await list()
  await sql`update token set symbol = 'OWN' where created_at = 1700000001`.execute(kysely)
  nowMs = 59_999
  expect((await list())[0]?.symbol).toBe('T1')
  nowMs = 60_000
  expect((await list())[0]?.symbol).toBe('OWN')
})

test('a failed read is tried again', async () => {
  let isAway = true
  const db: Queryable = { getExecutor: () => (isAway ? expect.unreachable('the database is away') : kysely.getExecutor()) }
  const versions = [{ address: addressOf(1), sequence: 10 }]
  const failing = new TokenCache(db, CHAIN_ID, () => nowMs)
  await expect(failing.at(versions)).rejects.toThrow('the database is away')
  isAway = false
  expect(await failing.at(versions)).toMatchObject([{ symbol: 'T1' }])
})

test('keeps the 2,000 tokens that were listed last', async () => {
  const others = Array.from({ length: 1_998 }, (_, index) => ({ address: addressOf(index + 10), sequence: 10 }))
  const created = { sequence: 10, created_at: 1_800_000_000 }
  await insertRows(
    kysely,
    'token',
    others.map((_, index) => tokenRow(index + 10, created)),
  )
  const one = async (index: number) => (await kept.at([{ address: addressOf(index), sequence: 10 }]))?.[0]
  const [first, second] = await list()
  await kept.at(others.slice(0, 1_997))
  expect(await one(1)).toBe(first)
  await kept.at(others.slice(1_997))
  expect(await one(1)).toBe(first)
  expect(await one(2)).toEqual(second)
  expect(await one(2)).not.toBe(second)
})
