import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { createRandom } from '#devchain/traders/random.ts'
import type { Address } from '#domain/address.ts'
import type { CandlesQuery } from '#resources/candles.ts'
import { readCandles } from '#store/reads/candles.ts'
import { canGoBackTo } from '#store/rows/cursor.ts'
import { WHOLE_CANDLES } from '#store/rows/foldMinutes.ts'
import { batchOf } from '#sync/prefetch.ts'
import type { Replacement } from '#sync/state.ts'
import { useDatabase } from '#test/support/database.ts'
import { createForkingChain, type ForkingChain } from '#test/support/forkingChain.ts'
import { dumpTables } from '#test/support/indexChain.ts'
import { testAddress } from '#test/support/simulatedChain.ts'
import {
  commitBatch,
  commitBlocks,
  indexAtOnce,
  type OpenedIndex,
  openIndex,
  readDirectory,
  replaceWith,
  settle,
  watchedKeys,
  wholeBlock,
} from '#test/support/simulatedIndex.ts'
import { START_BLOCK } from '#test/support/simulatedLaunchpad.ts'

const database = await useDatabase()
const fresh = await useDatabase()
const FIRST_TOKEN = testAddress(100)
let forking: ForkingChain
let index: OpenedIndex
let ethUsd: string | null
let heldBlock: number | null = null

beforeEach(async () => {
  ethUsd = null
  await database.clear()
  await fresh.clear()
  // A chain whose first blocks have trades of every launchpad, and whose last ones leave tokens alone.
  forking = createForkingChain(createRandom(4), 64)
  const values = { ethUsd: () => ethUsd, heldBlock: () => heldBlock }
  index = await openIndex(database, { genesisHash: forking.chain.at(0).header.hash, maxReorgDepth: 16, ...values })
})

/** Commits them together, as when more of them follow. */
async function run(from: number, to: number): Promise<void> {
  await commitBlocks(index, ...Array.from({ length: to - from + 1 }, (_, above) => forking.chain.at(from + above)))
}

async function sequences(): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ address: Address; sequence: number }>`select address, sequence from token`.execute(database.kysely)
  return new Map(rows.map(({ address, sequence }) => [address, sequence]))
}

describe('replacing blocks', () => {
  it('leaves the tables of a fresh index, and gives every touched token a higher sequence', async () => {
    forking.mine(30)
    await follow(1, 30)
    const before = await sequences()
    forking.fork(10, 2)
    const block = await replaceWith(index, replacement(20))
    expect(block).toMatchObject({ number: 32, hash: forking.chain.head().header.hash })
    await indexAtOnce(fresh, forking.chain, 32)
    expect(await dumpTables(database.kysely)).toEqual(await dumpTables(fresh.kysely))
    for (const table of ['trade join token on token = address', 'creator_fee']) {
      const { rows } = await sql<{ launchpad: string }>`select distinct launchpad from ${sql.raw(table)} order by 1`.execute(
        database.kysely,
      )
      expect(rows.map(({ launchpad }) => launchpad)).toEqual(['clanker', 'clanker4', 'reference', 'zora'])
    }
    expect(block.tokens.length).toBeGreaterThan(2)
    for (const { token } of block.tokens) expect(token.sequence).toBeGreaterThan(before.get(token.address) ?? 0)
  })

  it('takes the first values in USD of a candle back with the block that brought them', async () => {
    forking.mine(40)
    await follow(1, 30)
    const tables = await dumpTables(database.kysely)
    ethUsd = '3000.5'
    await follow(31, 40)
    const { rows } = await sql`select from ${sql.raw(WHOLE_CANDLES)} as candle where trades_usd > 0 and trades_usd < trades`.execute(
      database.kysely,
    )
    expect(rows.length).toBeGreaterThan(0)
    for (const currency of ['weth', 'usd'] as const) expect(await readCharts(currency)).toEqual(await storedCharts(currency))
    await replaceWith(index, { ancestor: forking.chain.at(30).header, batches: [] })
    expect(await dumpTables(database.kysely)).toEqual(tables)
    expect(await readCharts('weth')).toEqual(await storedCharts('weth'))
    expect(await readCharts('usd')).toEqual([])
    await follow(31, 40)
    for (const currency of ['weth', 'usd'] as const) expect(await readCharts(currency)).toEqual(await storedCharts(currency))
  })

  it('gives the same answer when it is repeated', async () => {
    forking.mine(20)
    await follow(1, 20)
    forking.fork(8, 0)
    const first = await replaceWith(index, replacement(12))
    const again = await replaceWith(index, replacement(12))
    const byAddress = ({ tokens }: typeof first) => new Map(tokens.map(snapshot => [snapshot.token.address, snapshot]))
    expect(byAddress(again)).toEqual(byAddress(first))
    expect(new Set(again.dropped)).toEqual(new Set(first.dropped))
  })

  it('takes a token off whose launch is gone, and lets its sequence go on when it is launched again', async () => {
    const { chain } = forking
    chain.mine()
    chain.mine()
    forking.mine(12)
    await follow(1, 14)
    // Ahead of the clock, as after many updates in one millisecond or with a clock that was put back.
    const ahead = Date.now() + 3_600_000
    await sql`update token set sequence = ${ahead}`.execute(database.kysely)
    const launched = [...(await sequences()).keys()]
    expect(launched).toContain(FIRST_TOKEN)
    chain.drop(12)
    chain.mine()
    const undone = await replaceWith(index, replacement(2))
    expect(undone).toMatchObject({ number: 3, tokens: [], unread: [] })
    expect(undone.dropped.toSorted()).toEqual(launched.toSorted())
    expect(await replaceWith(index, replacement(2))).toMatchObject({ dropped: expect.arrayContaining(launched) as unknown })
    expect(launched.some(address => index.directory.has(address as Address))).toBe(false)
    expect(await sequences()).toEqual(new Map())

    forking.mine(20)
    await follow(4, chain.head().header.number)
    expect((await sequences()).get(FIRST_TOKEN)).toBeGreaterThan(ahead)
  })

  it('only undoes when the new chain is not confirmed beyond the ancestor', async () => {
    forking.mine(20)
    await follow(1, 15)
    const expected = await dumpTables(database.kysely)
    await follow(16, 20)
    const block = await replaceWith(index, { ancestor: forking.chain.at(15).header, batches: [] })
    expect(block.number).toBe(15)
    expect(await dumpTables(database.kysely)).toEqual(expected)
    await follow(16, 20)
  })

  it('goes back to the end of any run of blocks that were committed together, and to nothing within', async () => {
    forking.mine(30)
    await follow(1, 6)
    await run(7, 12)
    const expected = await dumpTables(database.kysely)
    await run(13, 21)
    await run(22, 27)
    const recent = await index.committer.recentBlocks()
    expect(recent.filter(({ mergedWithNext }) => !mergedWithNext).map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 12, 21, 27])
    // A join tried to go back to a block within a run, failed, and tried again for as long as it stood there.
    const isPlace = await Promise.all(recent.map(block => canGoBackTo(database.kysely, block)))
    expect(recent.filter((_, index) => isPlace[index]).map(({ number }) => number)).toEqual([12, 21, 27])
    const replaceFrom = (number: number) => replaceWith(index, { ancestor: forking.chain.at(number).header, batches: [] })
    await expect(replaceFrom(25)).rejects.toMatchObject({ code: 'rpc_inconsistent', retryable: true })
    // Sixteen blocks can be undone, the first of which is the twelfth: it is in a run, which can be undone as a whole, and what is before
    // that is not kept.
    await expect(replaceFrom(5)).rejects.toMatchObject({ code: 'reorg_too_deep' })
    await expect(replaceFrom(21)).resolves.toMatchObject({ number: 21 })
    await expect(replaceFrom(12)).resolves.toMatchObject({ number: 12 })
    expect(await dumpTables(database.kysely)).toEqual(expected)
    await expect(replaceFrom(6)).resolves.toMatchObject({ number: 6 })
    await run(7, 30)
    await settle(index, forking.chain.at(30).header)
    await indexAtOnce(fresh, forking.chain, 30)
    expect(await dumpTables(database.kysely)).toEqual(await dumpTables(fresh.kysely))
  })

  it('settles what the last run left alone, for that to be undone with it', async () => {
    forking.mine(30)
    await follow(1, 6)
    await run(7, 12)
    const left = await dumpTables(database.kysely)
    const { header } = forking.chain.mine([], 90_000)
    await run(13, 31)
    const before = await sequences()
    const block = await settle(index, header)
    await indexAtOnce(fresh, forking.chain, 31)
    expect(await dumpTables(database.kysely)).toEqual(await dumpTables(fresh.kysely))
    // Who watches is told of those that time has changed, each with a higher sequence, and told the same when it is asked again.
    expect(block).toMatchObject({ number: 31, hash: header.hash, dropped: [] })
    expect(block.tokens.length).toBeGreaterThan(0)
    for (const { token } of block.tokens) expect(token.sequence).toBeGreaterThan(before.get(token.address) ?? Number.NaN)
    const after = await sequences()
    expect(await settle(index, header)).toEqual(block)
    expect(await sequences()).toEqual(after)
    await expect(settle(index, forking.chain.at(30).header)).rejects.toMatchObject({ code: 'rpc_inconsistent' })
    await replaceWith(index, { ancestor: forking.chain.at(12).header, batches: [] })
    expect(await dumpTables(database.kysely)).toEqual(left)
  })

  it('begins anew when no indexed block stays and every one can be undone', async () => {
    forking.mine(16)
    await follow(1, 16)
    const before = await sequences()
    forking.chain.drop(16)
    forking.mine(9)
    const block = await replaceWith(index, replacement(0))
    expect(block).toMatchObject({ number: 9, hash: forking.chain.head().header.hash })
    expect(await replaceWith(index, replacement(0))).toMatchObject({ number: 9, hash: block.hash })
    await indexAtOnce(fresh, forking.chain, 9)
    expect(await dumpTables(database.kysely)).toEqual(await dumpTables(fresh.kysely))
    expect(watchedKeys(index.directory)).toEqual(watchedKeys(await readDirectory(database)))
    expect(block.tokens.length).toBeGreaterThan(0)
    for (const { token } of block.tokens) expect(token.sequence).toBeGreaterThan(before.get(token.address) ?? 0)

    forking.mine(8)
    await follow(10, 17)
    await expect(replaceWith(index, replacement(0))).resolves.toMatchObject({ number: 17 })
    forking.chain.drop(17)
    forking.mine(17)
    await expect(replaceWith(index, replacement(0))).rejects.toMatchObject({ code: 'reorg_too_deep' })
  })

  it('refuses what is deeper than the maximum or lies in a backfilled range, and changes nothing', async () => {
    forking.mine(40)
    await follow(1, 30)
    const expected = await dumpTables(database.kysely)
    const replaceFrom = (number: number) => replaceWith(index, { ancestor: forking.chain.at(number).header, batches: [] })
    await expect(replaceFrom(13)).rejects.toMatchObject({ code: 'reorg_too_deep', retryable: false })
    expect(await dumpTables(database.kysely)).toEqual(expected)
    await commitBatch(index, batchOf([forking.chain.at(31)], 'range', index.directory, new Set()))
    await follow(32, 34)
    await expect(replaceFrom(30)).rejects.toMatchObject({ code: 'reorg_too_deep' })
    await expect(replaceFrom(31)).resolves.toMatchObject({ number: 31 })
  })

  it('keeps no more to undo than the maximum depth, except while a join holds a block', async () => {
    forking.mine(40)
    const oldest = async () => {
      const { rows } = await sql<{ images: number; undo_from: number }>`
        select undo_from, (select min(block_number) from block_undo) as images from chain_state`.execute(database.kysely)
      return [Number(rows[0]?.undo_from), Number(rows[0]?.images)]
    }
    heldBlock = 20
    await follow(1, 39)
    expect(await oldest()).toEqual([20, 20])
    heldBlock = null
    await follow(40, 40)
    const [undoFrom, images] = await oldest()
    expect(undoFrom).toBe(25)
    expect(images).toBeGreaterThanOrEqual(25)
  })

  it('leaves what projection does not determine as it is', async () => {
    forking.mine(20)
    await follow(1, 20)
    await sql`update token set image_url = 'https://example.com/x.png' where created_block <= 12`.execute(database.kysely)
    forking.fork(8, 0)
    await replaceWith(index, replacement(12))
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from token where image_url is not null`.execute(
      database.kysely,
    )
    expect(rows[0]?.count).toBeGreaterThan(0)
  })
})

/** Commits blocks of the canonical chain one by one. */
async function follow(from: number, to: number): Promise<void> {
  for (let number = from; number <= to; number++) await commitBlocks(index, forking.chain.at(number))
}

/** The canonical blocks after the ancestor, with all of their logs; after block 0: the first ones to index. */
function replacement(ancestor: number): Replacement {
  const { chain } = forking
  const numbers = Array.from({ length: chain.head().header.number - ancestor }, (_, above) => ancestor + 1 + above)
  return {
    ancestor: ancestor < START_BLOCK ? null : chain.at(ancestor).header,
    batches: numbers.map(number => wholeBlock(chain.at(number))),
  }
}

/** When the candles of every token begin and of how many trades they are, as their pages say. */
async function readCharts(currency: CandlesQuery['currency']): Promise<readonly string[]> {
  const charts: string[] = []
  for (const token of index.directory.partsWith([]).addresses) {
    for (const interval of ['1m', '1h'] as const) {
      const page = await readCandles(database.kysely, { address: token, interval, of: 'price', currency, fill: false, limit: 1_500 })
      charts.push(...(page?.data.map(({ time, trades }) => `${token} ${interval} ${time} ${trades}`) ?? []))
    }
  }
  return charts.toSorted()
}

/** The same as the table says. */
async function storedCharts(currency: CandlesQuery['currency']): Promise<readonly string[]> {
  const [trades, isIn] = currency === 'weth' ? [sql`trades`, sql`true`] : [sql`trades_usd`, sql`close_usd is not null`]
  const { rows } = await sql<{ token: Address; seconds: number; time: number; trades: number }>`
    select token, interval_seconds as seconds, time, ${trades} as trades from ${sql.raw(WHOLE_CANDLES)} as candle
    where interval_seconds in (60, 3600) and ${isIn}`.execute(database.kysely)
  const lines = rows.map(row => `${row.token} ${row.seconds === 60 ? '1m' : '1h'} ${row.time} ${row.trades}`)
  return lines.toSorted()
}
