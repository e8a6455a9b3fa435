import { expect, test } from 'vitest'
import { readDayTotals } from '#store/reads/marketData.ts'
import { useDatabase } from '#test/support/database.ts'
import { addressOf, chainStateRow, insertRows, poolRow, tokenRow, tradeRow, wordOf } from '#test/support/rows.ts'

const { kysely } = await useDatabase()

const NOW = 1_700_086_400
const HOUR = 3_600
/** In the middle of a minute and of an hour. */
const MOVED = NOW - 5 * HOUR - 25
const UNIT = 10n ** 18n
const [OLD_POOL, NEW_POOL] = [1, 2]

/** Whole tokens, in the time's order. */
const TRADES = [
  { pool: OLD_POOL, at: MOVED - 6 * HOUR, amount: 1n },
  { pool: OLD_POOL, at: MOVED - 2, amount: 10n },
  { pool: NEW_POOL, at: MOVED, amount: 100n },
  { pool: NEW_POOL, at: MOVED + 2, amount: 1_000n },
  { pool: NEW_POOL, at: MOVED + 600, amount: 10_000n },
  { pool: NEW_POOL, at: MOVED + 3 * HOUR, amount: 100_000n },
]

async function insertMarket(token: number, createdBlock: number): Promise<void> {
  const poolOf = (pool: number) => token * 100 + pool
  const pools = [poolRow(poolOf(OLD_POOL), token), poolRow(poolOf(NEW_POOL), token, { created_block: createdBlock })]
  await insertRows(kysely, 'token', [tokenRow(token, { created_block: 3, main_pool: wordOf(poolOf(NEW_POOL)) })])
  await insertRows(kysely, 'pool', pools)
  await insertRows(kysely, 'pool_creation', [
    { pool: wordOf(poolOf(NEW_POOL)), block_number: createdBlock, log_index: token, tx_hash: wordOf(1), tx_index: 0, timestamp: MOVED },
  ])
  await insertRows(
    kysely,
    'trade',
    TRADES.map(({ pool, at, amount }) =>
      tradeRow(addressOf(token), at, token, {
        timestamp: at,
        pool: wordOf(poolOf(pool)),
        amount_token: String(amount * UNIT),
        amount_wei: String(amount),
        price_after_weth: '1',
      }),
    ),
  )
  const candles = [60, HOUR].flatMap(length => {
    const times = Map.groupBy(TRADES, ({ at }) => at - (at % length))
    return [...times].map(([time, of]) => {
      const volume = of.reduce((sum, { amount }) => sum + amount, 0n)
      const prices = { open: '1', high: '1', low: '1', close: '1' }
      const volumes = { volume_wei: String(volume), volume_token: String(volume * UNIT), trades: of.length, trades_usd: 0 }
      return { time, token: addressOf(token), interval_seconds: length, ...prices, ...volumes }
    })
  })
  await insertRows(kysely, 'candle', candles)
}

test('the day of a market that moved within it is that of its new pool', async () => {
  await insertRows(kysely, 'chain_state', [chainStateRow({ cursor_timestamp: NOW })])
  await insertRows(kysely, 'currency', [{ address: addressOf(0x3e7), symbol: 'WETH', decimals: 18, is_read: true }])
  await insertMarket(1, 700)
  // Its pool was created with it, so all that it traded counts.
  await insertMarket(2, 3)
  const totals = await readDayTotals(kysely, [addressOf(1), addressOf(2)])
  expect(totals.map(({ token, volume }) => [token, volume.token, volume.quote])).toEqual([
    [addressOf(1), '111100', '0.0000000000001111'],
    [addressOf(2), '111111', '0.000000000000111111'],
  ])
})
