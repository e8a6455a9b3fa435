import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readHolders } from '#store/reads/holders.ts'
import { KnownTrades, readSnapshots } from '#store/reads/snapshots.ts'
import { readToken } from '#store/reads/tokens.ts'
import { readTrades } from '#store/reads/trades.ts'
import { useDatabase } from '#test/support/database.ts'
import { plansOf } from '#test/support/explain.ts'
import { addressOf, insertRows, poolRow, type Row, tokenRow, tradeRow, wordOf } from '#test/support/rows.ts'
import { recentOf } from '#test/support/snapshots.ts'

const CHAIN_ID = 31337
const { kysely, orm, clear } = await useDatabase()

const balanceRows = (token: number, count: number): Row[] =>
  Array.from({ length: count }, (_, index) => ({
    token: addressOf(token),
    holder: addressOf(5000 + index),
    balance: String((index % 9) * 10 ** 15),
    type: 'wallet',
    last_changed_block: index,
  }))

describe('snapshots', () => {
  beforeEach(async () => {
    await clear()
    await insertRows(kysely, 'token', [tokenRow(1, { main_pool: wordOf(77) }), tokenRow(2), tokenRow(3)])
    await insertRows(kysely, 'pool', [poolRow(77, 1), poolRow(78, 1)])
    await insertRows(kysely, 'trade', [
      tradeRow(addressOf(1), 9, 3),
      tradeRow(addressOf(1), 10, 2, { side: 'sell' }),
      tradeRow(addressOf(1), 10, 1),
      tradeRow(addressOf(3), 99, 1),
    ])
    await insertRows(kysely, 'balance', [...balanceRows(1, 60), ...balanceRows(3, 4)])
  })

  test('say of every token what the single reads say, in the asked order, without those that are not indexed', async () => {
    const addresses = [addressOf(3), addressOf(4), addressOf(1), addressOf(2)]
    const snapshots = await readSnapshots(kysely, { chainId: CHAIN_ID, addresses })
    const expected = []
    for (const token of [addressOf(3), addressOf(1), addressOf(2)]) {
      expected.push({
        token: await readToken(kysely, token, CHAIN_ID),
        recent: recentOf((await readTrades(kysely, { address: token, order: 'asc', limit: 10 }))?.data ?? []),
        holders: (await readHolders(kysely, { address: token, excludeType: [], limit: 20 }))?.data,
      })
    }
    expect(snapshots).toEqual(expected)
    expect(snapshots[1]?.holders.length).toBe(20)
    expect(snapshots[1]?.recent.trades.at(-1)?.id).toBe('10-2')
    expect(snapshots[1]?.token.pool).toEqual({
      address: addressOf(77),
      type: 'uniswap-v4',
      quoteToken: addressOf(0x3e7),
      quoteSymbol: null,
      quoteDecimals: null,
      feeBps: 0.3,
      reserveToken: '1',
      reserveQuote: '340282366920938463463374607431768211455',
      sqrtPriceX96: '79228162514264337593543950336',
      tick: -887272,
      liquidity: '5',
    })
    expect(snapshots[2]).toMatchObject({ recent: { trades: [] }, holders: [], token: { pool: null } })
  })

  test('have the newest trades of the last minute, 16 at most, and the place of the newest that they lack', async () => {
    const address = addressOf(2)
    const known = new KnownTrades()
    const read = async () => {
      const [snapshot] = await readSnapshots(kysely, { chainId: CHAIN_ID, addresses: [address] })
      // The same when only the trades after those of the last snapshot are read, and when there are none.
      for (let again = 0; again < 2; again++)
        expect(await readSnapshots(kysely, { chainId: CHAIN_ID, addresses: [address], known })).toEqual([snapshot])
      return snapshot?.recent
    }
    expect(await read()).toMatchObject({ trades: [] })
    await insertRows(kysely, 'trade', [tradeRow(address, 1, 0, { timestamp: 900 }), tradeRow(address, 2, 5, { timestamp: 1_000 })])
    expect(await read()).toMatchObject({ trades: [{ id: '2-5' }], after: { blockNumber: 1, logIndex: 0 } })
    const at = (block: number, timestamp: number) => tradeRow(address, block, 0, { timestamp })
    await insertRows(kysely, 'trade', [at(3, 1_060), at(4, 1_060)])
    expect(await read()).toMatchObject({ trades: [{ id: '2-5' }, { id: '3-0' }, { id: '4-0' }], after: { blockNumber: 1 } })
    await insertRows(kysely, 'trade', [at(5, 1_061)])
    expect(await read()).toMatchObject({ trades: [{ id: '3-0' }, { id: '4-0' }, { id: '5-0' }], after: { blockNumber: 2, logIndex: 5 } })
    await insertRows(
      kysely,
      'trade',
      Array.from({ length: 16 }, (_, index) => at(6 + index, 1_061)),
    )
    const recent = await read()
    expect(recent?.trades.map(({ id }) => id)).toEqual(Array.from({ length: 16 }, (_, index) => `${6 + index}-0`))
    expect(recent?.after).toEqual({ blockNumber: 5, logIndex: 0 })
  })

  test('tell how many reorgs there were, and the first void block of the newest 32', async () => {
    await sql`insert into reorg (number, from_block) select i, 100 + i from generate_series(1, 40) as i`.execute(kysely)
    const [snapshot] = await readSnapshots(kysely, { chainId: CHAIN_ID, addresses: [addressOf(1)] })
    expect(snapshot?.recent).toMatchObject({ reorgs: 40, voidFrom: Array.from({ length: 32 }, (_, index) => 109 + index) })
    await sql`delete from reorg`.execute(kysely)
  })

  test('are none for no addresses', async () => {
    expect(await readSnapshots(kysely, { chainId: CHAIN_ID, addresses: [] })).toEqual([])
  })

  test('show the rows of the transaction in which they are read', async () => {
    const address = addressOf(1)
    await orm.em.fork().transactional(async em => {
      const db = em.getKysely<unknown>()
      await sql`update token set symbol = 'NEW'`.execute(db)
      expect((await readSnapshots(db, { chainId: CHAIN_ID, addresses: [address] }))[0]?.token.symbol).toBe('NEW')
      expect((await readSnapshots(kysely, { chainId: CHAIN_ID, addresses: [address] }))[0]?.token.symbol).toBe('T1')
    })
  })
})

describe('the plan of snapshots', () => {
  beforeAll(async () => {
    await clear()
    const tokens = Array.from({ length: 1000 }, (_, index) => tokenRow(index + 1))
    await insertRows(kysely, 'token', tokens)
    await sql`insert into trade (block_number, log_index, token, pool, phase, side, maker, amount_token, amount_wei, block_hash, tx_hash, tx_index, timestamp)
      select i, 0, (select address from token order by address offset i % 1000 limit 1), '\\x01', 'pool', 'buy', '\\x01', 1, 1, '\\x02', '\\x03', 0, i
      from generate_series(1, 10000) as i`.execute(kysely)
    await sql`insert into balance select address, substring(sha256(int4send(i)) for 20), i, 'wallet', 1 from token, generate_series(1, 30) as i`.execute(
      kysely,
    )
    await sql`analyze`.execute(kysely)
  })

  test.each([1, 1000])('reads the trades and holders of %i tokens by index', async count => {
    const addresses = Array.from({ length: count }, (_, index) => addressOf(index + 1))
    const [nodes = []] = await plansOf(kysely, async db => {
      const snapshots = await readSnapshots(db, { chainId: CHAIN_ID, addresses })
      expect(snapshots.length).toBe(count)
      expect(snapshots.every(({ recent, holders }) => recent.trades.length > 0 && holders.length === 20)).toBe(true)
    })
    const indexes = nodes.flatMap(node =>
      node['Relation Name'] === 'trade' || node['Relation Name'] === 'balance' ? [node['Index Name']] : [],
    )
    expect(new Set(indexes)).toEqual(new Set(['trade_by_token', 'balance_by_size']))
  })
})
