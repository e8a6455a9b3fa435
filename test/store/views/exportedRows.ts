import type { Kysely } from 'kysely'
import { addressOf, chainStateRow, insertRows, poolRow, type Row, tokenRow, tradeRow, wordOf } from '#test/support/rows.ts'

/* Rows in which every field of the views has a value, and every way in which it may be unknown. */

export const TOKENS = [1, 2, 3, 4].map(addressOf)

const DOLLAR = addressOf(0xd0)
const PRICED = {
  price_quote: '0.0000000000123456789012345678901234567890',
  price_weth: '0.000000004115226337448559670781893004115',
  first_price_weth: '0.000000001',
  ath_price_weth: '0.0000000039',
  market_cap_weth: '4.1152263374485596707',
  liquidity_weth: '2.5000',
  trade_count: 7,
  last_trade_at: 1_700_000_300,
  volume_h24: '123456789012345678901',
  buy_volume_h24: '1000000000000000001',
  buys_h24: 4,
  price_change_h24: -12.3456,
  fees_accrued: '3000000000000000000',
  fees_claimed: '1',
  creator_fee_bps: 50.5,
  raised: '1234567890123456789',
  target: '4200000000000000000',
  quote_rate: '1',
}

const EARLY = {
  creator_held: '333333333333333333333333333',
  sniper_held: '1',
  bundler_held: '0',
  insider_held: '50000000000000000000000000',
}

const tokens: readonly Row[] = [
  tokenRow(1, { symbol: 'a "quoted", \\ text\nof two lines\twith a tab', name: '=1+1', metadata_uri: '{"a":"\\u0000"}' }),
  tokenRow(2, {
    main_pool: wordOf(2),
    ...PRICED,
    ...EARLY,
    surface: 'bankr',
    links: '[{"kind":"website","url":"https://a.example/?q=\\"\\\\","ignored":1},{"kind":"x","url":"b"}]',
  }),
  tokenRow(3, {
    main_pool: wordOf(3),
    decimals: 6,
    ...PRICED,
    quote_token: DOLLAR,
    quote_rate: '0.000333333333333333333333333333',
    quote_usd: '999999999999.87654321',
    graduation_status: 'migrated',
    graduation_percent: 100,
    migrated_at: 1_700_000_200,
    completed_at: 1_700_000_100,
    graduation_tx_hash: wordOf(9),
  }),
  tokenRow(4, {
    main_pool: wordOf(4),
    ...PRICED,
    first_price_weth: null,
    quote_token: addressOf(0xd1),
    quote_rate: null,
    price_weth: null,
  }),
]

const trades: readonly Row[] = TOKENS.flatMap((token, n) => [
  tradeRow(token, 10 + n, 0),
  tradeRow(token, 10 + n, 3, { eth_usd: '3123.456789', price_weth: '0.00000123456789012345678901234567890', price_after_weth: '0.5000' }),
  tradeRow(token, 20 + n, 1, { eth_usd: '3000', price_usd: '0.10', value_usd: '7.000', amount_quote: '77', side: 'sell' }),
  tradeRow(token, 30 + n, 4_294_967_266, {
    amount_wei: null,
    fee_wei: null,
    price_weth: null,
    amount_quote: '5',
    pool: `0x${'0'.repeat(24)}${token.slice(2)}`,
  }),
])

const traded = {
  buys: 2,
  sells: 1,
  bought_token: '3000',
  sold_token: '1000',
  bought_wei: '1000000000000000007',
  sold_wei: '400000000000000000',
  bought_usd: '3000000000000000000000',
  cost_wei: '666666666666666671',
  cost_usd: '2000000000000000000000',
  realized_wei: '-66666666666666664',
  first_trade_at: 1_700_000_000,
  last_buy_at: 1_700_000_050,
}

const held = (token: number, holder: number, balance: string, columns: Row = {}): Row => ({
  token: addressOf(token),
  holder: addressOf(holder),
  balance,
  type: 'wallet',
  last_changed_block: 5,
  buys: 0,
  sells: 0,
  bought_token: '0',
  sold_token: '0',
  classes: 0,
  ...Object.fromEntries(
    Object.keys(traded)
      .slice(4)
      .map(name => [name, null]),
  ),
  ...columns,
})

const balances: readonly Row[] = [2, 3, 4].flatMap(token => [
  held(token, 0xa, '333333333333333333333333333', { ...traded, type: 'creator', classes: 15 }),
  held(token, 0xb, '333333333333333333333333333', { ...traded, cost_wei: null, last_sell_at: 1_700_000_060 }),
  held(token, 0xc, '1', { ...traded, sold_wei: null, sold_usd: '5' }),
  held(token, 0xd, '0', traded),
  held(token, 0xe, '-5', traded),
  held(token, 0xf, '7'),
])

const candle = (token: number, seconds: number, time: number, columns: Row = {}): Row => ({
  token: addressOf(token),
  interval_seconds: seconds,
  time,
  open: '0.10',
  high: '0.30',
  low: '0.0000000000000000000000000000000001',
  close: '0.2',
  volume_wei: '1234567890123456789',
  trades: 3,
  trades_usd: 0,
  ...columns,
})

const candles: readonly Row[] = [2, 3].flatMap(token => [
  candle(token, 60, 1_700_000_040),
  candle(token, 60, 1_700_000_100),
  candle(token, 3_600, 1_699_999_200),
])

export async function insertExportedRows(db: Kysely<unknown>): Promise<void> {
  await insertRows(db, 'chain_state', [chainStateRow()])
  for (const row of tokens) await insertRows(db, 'token', [row])
  await insertRows(db, 'currency', [{ address: DOLLAR, symbol: ' USD\u0001C ', decimals: 6, is_read: true }])
  await insertRows(db, 'pool', [poolRow(2, 2), poolRow(3, 3, { quote_token: DOLLAR }), poolRow(4, 4, { quote_token: addressOf(0xd1) })])
  for (const row of trades) await insertRows(db, 'trade', [row])
  for (const row of balances) await insertRows(db, 'balance', [row])
  await insertRows(db, 'candle', candles)
  await insertRows(db, 'launchpad_totals', [
    { launchpad: 'test', tokens: 4, bonding: 0, completed: 0, migrated: 1, trades_h24: 16, volume_h24: '5000000000000000000' },
  ])
}
