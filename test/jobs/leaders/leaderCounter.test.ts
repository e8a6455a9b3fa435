import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { createRandom } from '#devchain/traders/random.ts'
import type { Address } from '#domain/address.ts'
import { LEADER_WINDOW_SECONDS, LEADER_WINDOWS, type LeaderWindow } from '#domain/windows.ts'
import { createLeaderCounter } from '#jobs/leaderCounter.ts'
import { LEADER_SORTS, type LeaderCursor } from '#resources/traders.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { createTransaction } from '#store/connection/transaction.ts'
import { readLeaders } from '#store/reads/traders.ts'
import { forgetLeaders, moveLeaders } from '#store/rows/leaders.ts'
import { silentLogger, useDatabase } from '#test/support/database.ts'
import { addressOf, chainStateRow, insertRows, tokenRow, tradeRow, wordOf } from '#test/support/rows.ts'
import { type From, pagesOf } from '../../store/reads/pagesOf.ts'

const { kysely, orm, clear } = await useDatabase()
const transaction = createTransaction(orm)

const DAY = 86_400
const FIRST = 1_700_000_000
const BLOCK_SECONDS = DAY / 4
const timeOf = (block: number) => FIRST + block * BLOCK_SECONDS

interface MadeTrade {
  readonly block: number
  readonly launchpad: string
  readonly maker: Address
  readonly side: 'buy' | 'sell'
  readonly wei: bigint | null
  readonly profit: bigint | null
}

const LAUNCHPADS = ['curve', 'pool']
const TOKENS = LAUNCHPADS.map((launchpad, index) => ({ ...tokenRow(index + 1), launchpad }))

beforeEach(async () => {
  await clear()
  await insertRows(kysely, 'token', TOKENS)
  await insertRows(kysely, 'chain_state', [chainStateRow({ cursor_number: 0, undo_from: 1 })])
})

async function newestIs(block: number): Promise<void> {
  await sql`update chain_state set cursor_number = ${block}, cursor_timestamp = ${timeOf(block)}`.execute(kysely)
}

const weth = (wei: bigint) => {
  const [sign, digits] = [wei < 0n ? '-' : '', String(wei < 0n ? -wei : wei).padStart(19, '0')]
  const fraction = digits.slice(-18).replace(/0+$/, '')
  return `${sign}${digits.slice(0, -18)}${fraction === '' ? '' : `.${fraction}`}`
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, above) => from + above)
/** More than the longest window. */
const MANY_BLOCKS = 35 * 4

it('sums each window over its trades as they come, become final and leave', async () => {
  const first = await trade(range(1, MANY_BLOCKS), 1)
  await newestIs(MANY_BLOCKS)
  await expectLeaders(first, MANY_BLOCKS)
  await finalise(MANY_BLOCKS)
  await count()
  await expectLeaders(first, MANY_BLOCKS)

  const trades = [...first]
  let newest = MANY_BLOCKS
  for (const [seed, blocks] of [1, 5, MANY_BLOCKS, 1].entries()) {
    trades.push(...(await trade(range(newest + 1, newest + blocks), 2 + seed)))
    newest += blocks
    await newestIs(newest)
    await expectLeaders(trades, newest)
    await finalise(newest)
    await count()
    await expectLeaders(trades, newest)
  }
})

it('shows blocks that can be replaced, and counts them once they are final, as they are then', async () => {
  const kept = await trade(range(1, 40), 1)
  const dropped = await trade(range(41, 50), 2)
  await finalise(40)
  await count()
  await expectLeaders(kept, 40)
  await newestIs(50)
  await expectLeaders([...kept, ...dropped], 50)
  await sql`delete from trade where block_number > 40`.execute(kysely)
  const replaced = await trade(range(41, 50), 3)
  await finalise(45)
  await count()
  await newestIs(50)
  await expectLeaders([...kept, ...replaced], 50)
})

// Without statistics PostgreSQL looked an account up in the index of a sort, where that was smaller than the key's, and read all of a
// launchpad's accounts for each. The accounts come in no order, so that the key's index is larger.
it('reads no more of the table for an account when there are many others', async () => {
  const [each, steps] = [5_000, 3]
  await insertRows(
    kysely,
    'token',
    Array.from({ length: 1_000 }, (_, index) => tokenRow(100 + index)),
  )
  const rows = Array.from({ length: each * steps }, (_, index) =>
    tradeRow(addressOf(100 + (index % 1_000)), 1 + Math.floor(index / each), index % each, {
      maker: addressOf(10_000 + ((index * 7_919) % 15_000)),
      amount_wei: String(((index * 7_919) % 10_007) * 1e12),
      timestamp: timeOf(1),
    }),
  )
  await insertRows(kysely, 'trade', rows)
  await sql`analyze trade, token`.execute(kysely)
  await finalise(steps)
  const pagesOf = async (work: (db: Queryable) => Promise<unknown>): Promise<number> => {
    const pages = async () => {
      const { rows } = await sql<{ pages: number }>`
        select sum(idx_blks_hit + idx_blks_read)::integer as pages from pg_statio_user_indexes where relname = 'leader'`.execute(kysely)
      return rows[0]?.pages ?? 0
    }
    const before = await pages()
    await transaction(async db => {
      await work(db)
      await sql`select pg_stat_force_next_flush()`.execute(db)
    })
    return (await pages()) - before
  }
  const read: number[] = []
  for (let step = 0; step < steps; step++) read.push(await pagesOf(db => moveLeaders(db, 'all', each)))
  await insertRows(
    kysely,
    'trade',
    rows.slice(0, each).map(row => ({ ...row, block_number: steps + 1 })),
  )
  await newestIs(steps + 1)
  expect(await pagesOf(db => readLeaders(db, { window: 'all', sort: 'volume', limit: 50 }))).toBeLessThan(4 * each)
  expect(read[0]).toBeGreaterThan(each)
  expect(Math.max(...read)).toBeLessThan(3 * (read[0] ?? 0))
})

it('counts anew after launchpads have changed', async () => {
  const trades = await trade(range(1, 60), 1)
  await finalise(60)
  await count()
  await sql`delete from trade where token = ${Buffer.from(addressOf(2).slice(2), 'hex')}`.execute(kysely)
  await transaction(forgetLeaders)
  await expectLeaders(
    trades.filter(({ launchpad }) => launchpad === 'curve'),
    60,
  )
  await count()
  await expectLeaders(
    trades.filter(({ launchpad }) => launchpad === 'curve'),
    60,
  )
})

it('has nothing to count before a block is final', async () => {
  expect(await transaction(db => moveLeaders(db, 'all'))).toBe(false)
})

it('counts every ten seconds, and not while indexing is behind', async () => {
  let [now, isBehind] = [0, true]
  const job = createLeaderCounter({ transaction, isBehind: () => isBehind, now: () => now, logger: silentLogger })
  const countedTo = async (block: number) => {
    await finalise(block)
    job.committed({ number: block, hash: wordOf(block), tokens: [], unread: [] })
    await job.settled()
    const { rows } = await sql<{ to: number }>`select min(to_block) as "to" from leader_window`.execute(kysely)
    return rows[0]?.to ?? null
  }
  expect(await countedTo(5)).toBeNull()
  isBehind = false
  expect(await countedTo(6)).toBe(6)
  now = 9_999
  expect(await countedTo(7)).toBe(6)
  now = 10_000
  expect(await countedTo(8)).toBe(8)
  await job.stop()
})

/** Trades of some accounts in each of these blocks, at 2 USD per ETH, which only the first launchpad's trades know. */
async function trade(blocks: readonly number[], seed: number): Promise<readonly MadeTrade[]> {
  const random = createRandom(seed).unit
  const pick = (below: number) => Math.floor(random() * below)
  const made = blocks.flatMap(block =>
    Array.from({ length: pick(4) }, (): MadeTrade => {
      const side = random() < 0.5 ? 'buy' : 'sell'
      const [wei, profit] = random() < 0.1 ? [null, null] : [BigInt(pick(5)) * 10n ** 17n, BigInt(pick(9) - 4) * 10n ** 16n]
      const launchpad = LAUNCHPADS[pick(2)] ?? ''
      return { block, launchpad, maker: addressOf(100 + pick(12)), side, wei, profit: side === 'buy' ? null : profit }
    }),
  )
  const rows = made.map(({ block, launchpad, maker, side, wei, profit }, index) =>
    tradeRow(addressOf(LAUNCHPADS.indexOf(launchpad) + 1), block, index, {
      maker,
      side,
      amount_wei: wei === null ? null : String(wei),
      amount_quote: '0',
      eth_usd: launchpad === 'curve' ? '2' : null,
      realized_wei: profit === null ? null : String(profit),
      realized_usd: profit === null || launchpad !== 'curve' ? null : String(profit * 2n),
      timestamp: timeOf(block),
    }),
  )
  await insertRows(kysely, 'trade', rows)
  return made
}

/** The chain goes on: this block is the newest final one. */
async function finalise(block: number): Promise<void> {
  await insertRows(kysely, 'block', [
    { number: block, hash: wordOf(block), parent_hash: wordOf(block - 1), timestamp: timeOf(block), joined: false },
  ])
  await newestIs(block)
  await sql`update chain_state set undo_from = ${block + 1}`.execute(kysely)
}

/** Counts a few trades per transaction, to the end. */
async function count(): Promise<void> {
  for (const window of LEADER_WINDOWS) while (await transaction(db => moveLeaders(db, window, 20)));
}

/** What an account's rows say, summed here from all trades that were made. */
function sumsOf(trades: readonly MadeTrade[], newest: number, window: LeaderWindow, launchpad: string | undefined) {
  const seconds = LEADER_WINDOW_SECONDS[window]
  const counted = trades.filter(
    ({ block, launchpad: of }) =>
      block <= newest && (seconds === null || timeOf(block) > timeOf(newest) - seconds) && (launchpad === undefined || of === launchpad),
  )
  return [...Map.groupBy(counted, ({ maker }) => maker)].map(([address, own]) => {
    const total = (some: readonly MadeTrade[], valueOf: (one: MadeTrade) => bigint | null) =>
      some.reduce((sum, one) => sum + (valueOf(one) ?? 0n), 0n)
    const [buys, sells] = [own.filter(({ side }) => side === 'buy'), own.filter(({ side }) => side === 'sell')]
    const usd = (value: bigint | null, one: MadeTrade) => (value === null || one.launchpad !== 'curve' ? null : value * 2n)
    const sums = {
      realized: total(sells, ({ profit }) => profit),
      bought: total(buys, ({ wei }) => wei),
      sold: total(sells, ({ wei }) => wei),
      volume: total(own, ({ wei }) => wei),
    }
    const shown = {
      address,
      buys: buys.length,
      sells: sells.length,
      boughtWeth: weth(sums.bought),
      boughtUsd: weth(total(buys, one => usd(one.wei, one))),
      soldWeth: weth(sums.sold),
      soldUsd: weth(total(sells, one => usd(one.wei, one))),
      volumeWeth: weth(sums.volume),
      volumeUsd: weth(total(own, one => usd(one.wei, one))),
      realizedWeth: weth(sums.realized),
      realizedUsd: weth(total(sells, one => usd(one.profit, one))),
      tradesWithoutWethValue: own.filter(({ wei }) => wei === null).length,
      tradesWithoutUsdValue: own.filter(one => usd(one.wei, one) === null).length,
      salesWithoutWethProfit: sells.filter(({ profit }) => profit === null).length,
      salesWithoutUsdProfit: sells.filter(one => usd(one.profit, one) === null).length,
      lastTradeAt: new Date(Math.max(...own.map(({ block }) => timeOf(block))) * 1_000).toISOString(),
    }
    return { sums, shown }
  })
}

async function expectLeaders(trades: readonly MadeTrade[], newest: number): Promise<void> {
  for (const window of LEADER_WINDOWS)
    for (const launchpad of [undefined, ...LAUNCHPADS])
      for (const sort of LEADER_SORTS) {
        const query = { window, sort, ...(launchpad === undefined ? {} : { launchpad }) }
        const expected = sumsOf(trades, newest, window, launchpad).toSorted(
          (a, b) => Number(b.sums[sort] - a.sums[sort]) || (a.shown.address < b.shown.address ? 1 : -1),
        )
        const { data, asOfBlock } = await readLeaders(kysely, { ...query, limit: 100 })
        expect({ query, data, asOfBlock }).toEqual({ query, data: expected.map(({ shown }) => shown), asOfBlock: String(newest) })
        if (launchpad !== undefined || window !== '7d') continue
        const pages = await pagesOf(4, (from: From<LeaderCursor>) => readLeaders(kysely, { ...query, limit: 4, ...from }))
        expect({ query, rows: pages.flat() }).toEqual({ query, rows: data })
      }
}
