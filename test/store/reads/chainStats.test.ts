import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { countTotals } from '#benchmarks/growth/loadTables.ts'
import { createChainStats } from '#store/reads/chainStats.ts'
import { countedStats } from '#test/support/countedStats.ts'
import { useDatabase } from '#test/support/database.ts'
import { plansOf } from '#test/support/explain.ts'
import { addressOf, chainStateRow, insertRows, tokenRow, tradeRow } from '#test/support/rows.ts'

const { kysely, clear } = await useDatabase()
const NOW = 1_700_086_400
const DAY = 86_400

describe('the statistics of the index', () => {
  beforeEach(clear)

  test('are nothing before the first block is indexed', async () => {
    expect(await createChainStats(kysely, 31337)()).toBeNull()
    await insertRows(kysely, 'chain_state', [
      chainStateRow({ cursor_number: null, cursor_hash: null, cursor_timestamp: null, committed_at_ms: null }),
    ])
    expect(await createChainStats(kysely, 31337)()).toBeNull()
  })

  test('count the 24 hours that end with the newest indexed block, without their first second', async () => {
    await insertRows(kysely, 'chain_state', [chainStateRow({ cursor_timestamp: NOW })])
    await insertRows(kysely, 'token', [
      tokenRow(1, {
        created_at: NOW - DAY,
        graduation_status: 'bonding',
        liquidity_weth: '1.5',
        buys_h24: 1,
        volume_h24: '2500000000000000000',
      }),
      tokenRow(2, { created_at: NOW - DAY + 1, graduation_status: 'migrated', liquidity_weth: '0.25', buys_h24: 2, volume_h24: '1' }),
      tokenRow(3, { created_at: NOW, graduation_status: 'completed' }),
      tokenRow(4, { created_at: 5 }),
    ])
    await insertRows(kysely, 'trade', [
      tradeRow(addressOf(1), 1, 0, { timestamp: NOW - DAY, amount_wei: '1000000000000000000' }),
      tradeRow(addressOf(1), 2, 0, { timestamp: NOW - DAY + 1, amount_wei: '2500000000000000000', maker: addressOf(7) }),
      tradeRow(addressOf(2), 3, 0, { timestamp: NOW, amount_wei: null, maker: addressOf(7) }),
      tradeRow(addressOf(2), 3, 1, { timestamp: NOW, amount_wei: '1', maker: addressOf(8) }),
    ])
    await countTotals(kysely)
    const stats = await createChainStats(kysely, 31337)()
    expect(stats).toMatchObject(await countedStats(kysely))
    expect(stats).toEqual({
      chainId: 31337,
      indexedBlock: '456',
      tokens: 4,
      tokens24h: 2,
      bonding: 1,
      completed: 1,
      migrated: 1,
      trades24h: 3,
      traders24h: 2,
      volumeWeth24h: '2.500000000000000001',
      volumeUsd24h: null,
      liquidityWeth: '1.75',
      asOfBlock: '456',
      updatedAt: '2023-11-15T22:13:21.234Z',
    })
  })

  test('take off who has been silent for 24 hours since the last block with a trade', async () => {
    await insertRows(kysely, 'chain_state', [chainStateRow({ cursor_timestamp: NOW })])
    const makers = [1, 2, 3].map(n => addressOf(n))
    await insertRows(
      kysely,
      'trade',
      makers.map((maker, index) => tradeRow(addressOf(1), index, 0, { timestamp: NOW - 100 + index, maker })),
    )
    await countTotals(kysely)
    const traders = async (seconds: number) => {
      await sql`update chain_state set cursor_timestamp = ${NOW + seconds}`.execute(kysely)
      return (await createChainStats(kysely, 31337)())?.traders24h
    }
    expect([await traders(0), await traders(DAY - 100), await traders(DAY - 99), await traders(2 * DAY)]).toEqual([3, 2, 1, 0])
  })

  test('are read once per commit, however many ask', async () => {
    await insertRows(kysely, 'chain_state', [chainStateRow()])
    const plans = await plansOf(kysely, async db => {
      const chainStats = createChainStats(db, 31337)
      const answers = await Promise.all([chainStats(), chainStats(), chainStats()])
      expect(answers.map(answer => answer?.tokens)).toEqual([0, 0, 0])
      await insertRows(kysely, 'token', [tokenRow(1)])
      await countTotals(kysely)
      expect((await chainStats())?.tokens).toBe(0)
      await sql`update chain_state set cursor_number = 457, committed_at_ms = committed_at_ms + 1`.execute(kysely)
      expect(await chainStats()).toMatchObject({ tokens: 1, asOfBlock: '457' })
    })
    expect(plans.filter(nodes => nodes.some(node => node['Relation Name'] === 'index_totals')).length).toBe(2)
  })

  test('are computed again after a failure', async () => {
    await insertRows(kysely, 'chain_state', [chainStateRow()])
    const chainStats = createChainStats(kysely, 31337)
    await sql`alter table trader rename to trader_away`.execute(kysely)
    await expect(chainStats()).rejects.toThrow('trader')
    await sql`alter table trader_away rename to trader`.execute(kysely)
    expect(await chainStats()).toMatchObject({ trades24h: 0 })
  })
})
