import { CANDLE_INTERVALS } from '#domain/candle.ts'
import { CLASS_BITS, EARLY_CLASSES } from '#domain/holder.ts'
import { WINDOW_NAMES, WINDOW_SECONDS } from '#domain/windows.ts'
import { candles } from '#resources/candles.ts'
import { launchpadSchema } from '#resources/chainStats.ts'
import { holders } from '#resources/holders.ts'
import { token } from '#resources/token.ts'
import { traders } from '#resources/traders.ts'
import { trades } from '#resources/trades.ts'
import { WHOLE_CANDLES } from '#store/rows/foldMinutes.ts'
import { IS_TRADER } from '#tables/balance.ts'
import { columnsOf, inUnits, percentOfSupply, shownPoolSql, significant, type View, type ViewColumn, wholeUnitsOf } from './view.ts'

/** Whether the stored volumes are known: they sum up amounts in WETH, which a token that never had a price in WETH lacks. */
const HAS_VOLUME = '(token.trade_count = 0 or token.first_price_weth is not null)'
const PRICE_USD = significant('token.price_quote * token.quote_usd')

/** The shown fields of each link. */
const LINKS = `coalesce((select json_agg(json_build_object('kind', link -> 'kind', 'url', link -> 'url'))
  from json_array_elements(token.links::json) as link), '[]'::json)`

const perWindow = (name: string, sql: (window: string) => string) =>
  Object.fromEntries(WINDOW_NAMES.map(window => [`market.${name}.${window}`, sql(window)]))

const volume = (name: string, wei: (window: string) => string) =>
  perWindow(name, window => `case when ${HAS_VOLUME} then ${wholeUnitsOf(wei(window))} end`)

const inWeth = (amount: string) =>
  `case when token.quote_rate = 1 then ${wholeUnitsOf(amount)} else ${significant(`${wholeUnitsOf(amount)} * token.quote_rate`)} end`

const pegged = (sql: string) => `case when main_pool.address is not null then ${sql} end`

/** @see `toToken` */
const TOKENS: View = {
  name: 'tokens',
  meaning: 'Tokens with their markets, pools, fees and graduation. Values in USD are those by a peg of the quote currency.',
  columns: columnsOf(
    token.answer,
    { '': 'token', pool: 'main_pool' },
    {
      chainId: '(select chain_id from chain_state)',
      metadataUri: { meaning: 'URI of the metadata, or the metadata itself, as the creator wrote it. Untrusted text.' },
      links: LINKS,
      'market.priceQuote': `case when quote.decimals = 18 then token.price_quote
        else ${significant(`token.price_quote * ('1e' || (18 - quote.decimals))::numeric`)} end`,
      'market.priceUsd': pegged(PRICE_USD),
      'market.marketCapUsd': pegged(significant(`${PRICE_USD} * ${inUnits('token.total_supply', 'token.decimals')}`)),
      'market.liquidityUsd': significant(`${wholeUnitsOf('2 * main_pool.reserve_quote')} * token.quote_usd`),
      ...volume('volumeWeth', window => `token.volume_${window}`),
      ...volume('buyVolumeWeth', window => `token.buy_volume_${window}`),
      ...volume('sellVolumeWeth', window => `token.volume_${window} - token.buy_volume_${window}`),
      ...perWindow('priceChange', window => `token.price_change_${window}`),
      ...Object.fromEntries(
        WINDOW_NAMES.flatMap(window =>
          ['buys', 'sells', 'buyers', 'sellers'].map(name => [`market.trades.${window}.${name}`, `token.${name}_${window}`]),
        ),
      ),
      'market.athPriceWeth': `case when token.quote_token is null or token.price_weth is null then token.ath_price_weth
        when token.ath_price_weth is not null then greatest(token.price_weth, token.ath_price_weth) end`,
      'pool.address': shownPoolSql('main_pool.address'),
      'pool.quoteSymbol': `nullif(left(btrim(regexp_replace(quote.symbol, '[\\x01-\\x1f\\x7f-\\x9f]', '', 'g')), 32), '')`,
      'pool.quoteDecimals': 'quote.decimals',
      'fees.accruedWeth': wholeUnitsOf('token.fees_accrued'),
      'fees.claimedWeth': wholeUnitsOf('token.fees_claimed'),
      'fees.claimableWeth': wholeUnitsOf('token.fees_accrued - token.fees_claimed'),
      'graduation.status': 'token.graduation_status',
      'graduation.percent': 'token.graduation_percent',
      'graduation.raisedWeth': inWeth('token.raised'),
      'graduation.targetWeth': inWeth('token.target'),
      'graduation.poolAddress': 'token.graduated_pool',
      'graduation.txHash': 'token.graduation_tx_hash',
      'early.sniperPercent': percentOfSupply('token.sniper_held'),
      'early.bundlerPercent': percentOfSupply('token.bundler_held'),
      'early.insiderPercent': percentOfSupply('token.insider_held'),
      'early.creatorPercent': percentOfSupply('token.creator_held'),
      updatedAt: { kind: 'timeMs', sql: 'token.updated_at_ms' },
    },
  ),
  from: `token left join pool as main_pool on main_pool.address = token.main_pool
    left join lateral (
      select named.symbol, named.decimals from token as named where named.address = main_pool.quote_token
      union all
      select currency.symbol, currency.decimals from currency
      where currency.address = main_pool.quote_token and not exists (select from token as named where named.address = main_pool.quote_token)
    ) as quote on true`,
  order: 'token.created_block, token.address',
  filters: { token: 'token.address', launchpad: 'token.launchpad', time: 'token.created_at' },
  keys: { address_bytes: 'token.address', creator_bytes: 'token.creator' },
}

const tokenOf = (table: string): ViewColumn => ({ name: 'token', kind: 'bytes', sql: `${table}.token`, meaning: 'Address of the token.' })
const HELD = 'case when balance.balance >= 0 then balance.balance end'
const KEYS = { token_bytes: 'balance.token', address_bytes: 'balance.holder' }
const FROM = 'balance join token on token.address = balance.token'

const PERCENT = `coalesce(${percentOfSupply('balance.balance')}, 0)`
/** `null` for tokens that were indexed before the classes of early wallets were. */
const CLASSES = `case when token.creator_held is not null then to_json(array_remove(array[${EARLY_CLASSES.map(
  name => `case when balance.classes & ${CLASS_BITS[name]} <> 0 then '${name}' end`,
).join(', ')}], null)) end`

/** @see `toHolder` */
const HOLDERS: View = {
  name: 'holders',
  meaning: 'Who holds each token.',
  columns: [
    tokenOf('balance'),
    ...columnsOf(holders.item, 'balance', {
      rank: 'row_number() over (partition by balance.token order by - balance.balance, balance.holder)',
      address: 'balance.holder',
      percent: PERCENT,
      classes: CLASSES,
    }),
  ],
  from: FROM,
  where: 'balance.balance > 0',
  order: 'balance.token, - balance.balance, balance.holder',
  leading: { table: 'balance', column: 'token', holds: 'address' },
  filters: { token: 'balance.token', launchpad: 'token.launchpad', time: null },
  keys: KEYS,
}

const value = (price: string) => significant(`${price} * ${inUnits(HELD, 'token.decimals')}`)
const VALUE_WETH = value('token.price_weth')
const VALUE_USD = value('(token.price_quote * token.quote_usd)')
/** The division is cut to 60 decimals before it is rounded, as in REST. */
const average = (cost: string) => significant(`div(${cost} * ('1e' || token.decimals)::numeric * 1e60, nullif(${HELD}, 0) * 1e18) * 1e-60`)

/** @see `readTraders` */
const TRADERS: View = {
  name: 'traders',
  meaning: 'Who traded each token, with profit by average cost. Present values in USD are those by a peg of the quote currency.',
  columns: [
    tokenOf('balance'),
    ...columnsOf(traders.item, 'balance', {
      address: 'balance.holder',
      boughtWeth: wholeUnitsOf('balance.bought_wei'),
      boughtUsd: wholeUnitsOf('balance.bought_usd'),
      soldWeth: wholeUnitsOf('balance.sold_wei'),
      soldUsd: wholeUnitsOf('balance.sold_usd'),
      volumeWeth: wholeUnitsOf('balance.bought_wei + balance.sold_wei'),
      volumeUsd: wholeUnitsOf('balance.bought_usd + balance.sold_usd'),
      balance: HELD,
      percent: `case when balance.balance >= 0 then ${PERCENT} end`,
      valueWeth: `round(${VALUE_WETH}, 18)`,
      valueUsd: `round(${VALUE_USD}, 18)`,
      costWeth: wholeUnitsOf('balance.cost_wei'),
      costUsd: wholeUnitsOf('balance.cost_usd'),
      averageCostWeth: average('balance.cost_wei'),
      averageCostUsd: average('balance.cost_usd'),
      unrealizedWeth: `round(${VALUE_WETH} - ${wholeUnitsOf('balance.cost_wei')}, 18)`,
      unrealizedUsd: `round(${VALUE_USD}, 18) - ${wholeUnitsOf('balance.cost_usd')}`,
      realizedWeth: wholeUnitsOf('balance.realized_wei'),
      realizedUsd: wholeUnitsOf('balance.realized_usd'),
      lastTradeAt: 'greatest(balance.last_buy_at, balance.last_sell_at)',
      classes: CLASSES,
    }),
  ],
  from: FROM,
  where: IS_TRADER,
  order: 'balance.token, balance.holder',
  leading: { table: 'balance', column: 'token', holds: 'address' },
  filters: { token: 'balance.token', launchpad: 'token.launchpad', time: null },
  keys: KEYS,
}

const INTERVAL = `case candle.interval_seconds ${Object.entries(CANDLE_INTERVALS)
  .map(([name, seconds]) => `when ${seconds} then '${name}'`)
  .join(' ')} end`

const inUsd = (name: string, meaning: string): ViewColumn => ({
  name: `${name}Usd`,
  kind: 'decimal',
  sql: `candle.${name}_usd`,
  meaning: `${meaning} in USD at the time of the trades. \`null\`: the price of ETH was not known.`,
})

/** REST also has the newest candle close at the present price, where the rate of the quote currency has moved. */
const CANDLES: View = {
  name: 'candles',
  meaning: 'Candles of the stored intervals, with prices and volume in WETH and in USD.',
  columns: [
    tokenOf('candle'),
    { name: 'interval', kind: 'text', sql: INTERVAL, meaning: `Length: ${Object.keys(CANDLE_INTERVALS).join(', ')}.` },
    ...columnsOf(candles.item, 'candle', { time: { kind: 'seconds' }, volume: wholeUnitsOf('candle.volume_wei') }),
    inUsd('open', 'First price'),
    inUsd('high', 'Highest price'),
    inUsd('low', 'Lowest price'),
    inUsd('close', 'Last price'),
    inUsd('volume', 'Traded value'),
  ],
  from: `${WHOLE_CANDLES} as candle`,
  where: 'candle.close is not null',
  order: 'candle.token, candle.interval_seconds, candle.time',
  leading: { table: 'candle', column: 'token', holds: 'address' },
  filters: {
    token: 'candle.token',
    launchpad: '(select launchpad from token where token.address = candle.token)',
    time: 'candle.time',
  },
  keys: { token_bytes: 'candle.token' },
}

/** @see `readLaunchpads` */
const LAUNCHPADS: View = {
  name: 'launchpads',
  meaning: 'Totals of each launchpad that has a token. The 24 hours end at the time of the newest indexed block.',
  columns: columnsOf(launchpadSchema, 'totals', {
    name: 'totals.launchpad',
    adapter: null,
    tokens24h: `(select count(*) from token cross join chain_state
        where token.launchpad = totals.launchpad and token.created_at > chain_state.cursor_timestamp - ${WINDOW_SECONDS.h24})`,
    volumeWeth24h: wholeUnitsOf('totals.volume_h24'),
    trades24h: 'totals.trades_h24',
    graduationRate: null,
  }),
  from: 'launchpad_totals as totals',
  order: 'totals.launchpad',
  filters: { token: null, launchpad: 'totals.launchpad', time: null },
  keys: {},
}

const AMOUNT_WETH = wholeUnitsOf('trade.amount_wei')
const usd = (stored: string, weth: string) => `coalesce(${stored}, ${significant(`${weth} * trade.eth_usd`)})`

/** @see `toTrade` */
const TRADES: View = {
  name: 'trades',
  meaning: 'Trades, each once.',
  columns: columnsOf(trades.item, 'trade', {
    id: `trade.block_number || '-' || trade.log_index`,
    pool: shownPoolSql('trade.pool'),
    amountQuote: 'coalesce(trade.amount_quote, trade.amount_wei)',
    amountWeth: AMOUNT_WETH,
    priceUsd: usd('trade.price_usd', 'trade.price_weth'),
    valueUsd: usd('trade.value_usd', AMOUNT_WETH),
    feeWeth: wholeUnitsOf('trade.fee_wei'),
  }),
  from: 'trade',
  order: 'trade.block_number, trade.log_index',
  leading: { table: 'trade', column: 'block_number', holds: 'block' },
  filters: { token: 'trade.token', launchpad: '(select launchpad from token where token.address = trade.token)', time: 'trade.timestamp' },
  keys: { token_bytes: 'trade.token', maker_bytes: 'trade.maker' },
}

/** The views that `npm run export` writes, by their names. */
export const EXPORTED = {
  trades: TRADES,
  tokens: TOKENS,
  holders: HOLDERS,
  candles: CANDLES,
  traders: TRADERS,
} as const satisfies Readonly<Record<string, View>>

export type ExportName = keyof typeof EXPORTED

/** The views that `npm run db:views` creates. */
export const VIEWS: readonly View[] = [...Object.values(EXPORTED), LAUNCHPADS]

/**
 * The version of the views, which a release promises to keep: it rises when a column is removed or changes its meaning. New columns and
 * views do not change it.
 */
export const VIEWS_VERSION = 1
