import { WINDOW_NAMES } from '#domain/windows.ts'
import { token as resource } from '#resources/token.ts'
import { columnsOf, inUnits, percentOfSupply, shownPoolSql, significant, type View, type ViewColumn, wholeUnitsOf } from './view.ts'

/** Whether the stored volumes are known: they sum up amounts in WETH, which a token that never had a price in WETH lacks. */
const HAS_VOLUME = '(token.trade_count = 0 or token.first_price_weth is not null)'
const PRICE_USD = significant('token.price_quote * token.quote_usd')

/** The shown fields of each link. */
const LINKS = `coalesce((select json_agg(json_build_object('kind', link -> 'kind', 'url', link -> 'url'))
  from json_array_elements(token.links::json) as link), '[]'::json)`

const perWindow = (kind: ViewColumn['kind'], name: string, sql: (window: string) => string) =>
  WINDOW_NAMES.map((window): ViewColumn => ({ name: `market.${name}.${window}`, kind, sql: sql(window) }))

const volume = (name: string, wei: (window: string) => string) =>
  perWindow('decimal', name, window => `case when ${HAS_VOLUME} then ${wholeUnitsOf(wei(window))} end`)

const inWeth = (amount: string) =>
  `case when token.quote_rate = 1 then ${wholeUnitsOf(amount)} else ${significant(`${wholeUnitsOf(amount)} * token.quote_rate`)} end`

const pegged = (sql: string) => `case when main_pool.address is not null then ${sql} end`

/** @see `toToken` */
export const TOKENS: View = {
  name: 'tokens',
  meaning: 'Tokens with their markets, pools, fees and graduation. Values in USD are those by a peg of the quote currency.',
  item: resource.answer,
  columns: [
    ...columnsOf('count', { chainId: '(select chain_id from chain_state)' }),
    ...columnsOf('bytes', { address: 'token.address' }),
    ...columnsOf('text', { symbol: 'token.symbol', name: 'token.name' }),
    ...columnsOf('count', { decimals: 'token.decimals' }),
    ...columnsOf('decimal', { totalSupply: 'token.total_supply' }),
    ...columnsOf('bytes', { creator: 'token.creator', admin: 'token.admin' }),
    ...columnsOf('text', { launchpad: 'token.launchpad' }),
    ...columnsOf('time', { createdAt: 'token.created_at' }),
    ...columnsOf('block', { createdBlock: 'token.created_block' }),
    ...columnsOf('bytes', { createdTxHash: 'token.created_tx_hash' }),
    {
      name: 'metadataUri',
      kind: 'text',
      sql: 'token.metadata_uri',
      meaning: 'URI of the metadata, or the metadata itself, as the creator wrote it. Untrusted text.',
    },
    ...columnsOf('text', { imageUrl: 'token.image_url', description: 'token.description' }),
    ...columnsOf('json', { links: LINKS }),
    ...columnsOf('text', { surface: 'token.surface' }),
    ...market(),
    ...pool(),
    ...columnsOf('number', { 'fees.creatorFeeBps': 'token.creator_fee_bps' }),
    ...columnsOf('decimal', {
      'fees.accruedWeth': wholeUnitsOf('token.fees_accrued'),
      'fees.claimedWeth': wholeUnitsOf('token.fees_claimed'),
      'fees.claimableWeth': wholeUnitsOf('token.fees_accrued - token.fees_claimed'),
    }),
    ...columnsOf('text', { 'graduation.status': 'token.graduation_status' }),
    ...columnsOf('number', { 'graduation.percent': 'token.graduation_percent' }),
    ...columnsOf('decimal', { 'graduation.raisedWeth': inWeth('token.raised'), 'graduation.targetWeth': inWeth('token.target') }),
    ...columnsOf('time', { 'graduation.completedAt': 'token.completed_at', 'graduation.migratedAt': 'token.migrated_at' }),
    ...columnsOf('bytes', { 'graduation.poolAddress': 'token.graduated_pool', 'graduation.txHash': 'token.graduation_tx_hash' }),
    ...columnsOf('number', {
      'early.sniperPercent': percentOfSupply('token.sniper_held'),
      'early.bundlerPercent': percentOfSupply('token.bundler_held'),
      'early.insiderPercent': percentOfSupply('token.insider_held'),
      'early.creatorPercent': percentOfSupply('token.creator_held'),
    }),
    ...columnsOf('count', { sequence: 'token.sequence' }),
    ...columnsOf('block', { asOfBlock: 'token.as_of_block' }),
    ...columnsOf('timeMs', { updatedAt: 'token.updated_at_ms' }),
  ],
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

function market(): readonly ViewColumn[] {
  return [
    ...columnsOf('decimal', {
      'market.priceQuote': `case when quote.decimals = 18 then token.price_quote
        else ${significant(`token.price_quote * ('1e' || (18 - quote.decimals))::numeric`)} end`,
      'market.priceWeth': 'token.price_weth',
      'market.priceUsd': pegged(PRICE_USD),
      'market.marketCapWeth': 'token.market_cap_weth',
      'market.marketCapUsd': pegged(significant(`${PRICE_USD} * ${inUnits('token.total_supply', 'token.decimals')}`)),
      'market.liquidityWeth': 'token.liquidity_weth',
      'market.liquidityUsd': significant(`${wholeUnitsOf('2 * main_pool.reserve_quote')} * token.quote_usd`),
    }),
    ...volume('volumeWeth', window => `token.volume_${window}`),
    ...volume('buyVolumeWeth', window => `token.buy_volume_${window}`),
    ...volume('sellVolumeWeth', window => `token.volume_${window} - token.buy_volume_${window}`),
    ...perWindow('number', 'priceChange', window => `token.price_change_${window}`),
    ...WINDOW_NAMES.flatMap(window =>
      ['buys', 'sells', 'buyers', 'sellers'].map(
        (name): ViewColumn => ({
          name: `market.trades.${window}.${name}`,
          kind: 'count',
          sql: `token.${name}_${window}`,
        }),
      ),
    ),
    ...columnsOf('count', { 'market.tradeCount': 'token.trade_count', 'market.holderCount': 'token.holder_count' }),
    ...columnsOf('time', { 'market.lastTradeAt': 'token.last_trade_at' }),
    ...columnsOf('decimal', {
      'market.athPriceWeth': `case when token.quote_token is null or token.price_weth is null then token.ath_price_weth
        when token.ath_price_weth is not null then greatest(token.price_weth, token.ath_price_weth) end`,
      'market.athPriceUsd': 'token.ath_price_usd',
    }),
  ]
}

function pool(): readonly ViewColumn[] {
  return [
    ...columnsOf('bytes', { 'pool.address': shownPoolSql('main_pool.address') }),
    ...columnsOf('text', { 'pool.type': 'main_pool.type' }),
    ...columnsOf('bytes', { 'pool.quoteToken': 'main_pool.quote_token' }),
    ...columnsOf('text', {
      'pool.quoteSymbol': `nullif(left(btrim(regexp_replace(quote.symbol, '[\\x01-\\x1f\\x7f-\\x9f]', '', 'g')), 32), '')`,
    }),
    ...columnsOf('count', { 'pool.quoteDecimals': 'quote.decimals' }),
    ...columnsOf('number', { 'pool.feeBps': 'main_pool.fee_bps' }),
    ...columnsOf('decimal', {
      'pool.reserveToken': 'main_pool.reserve_token',
      'pool.reserveQuote': 'main_pool.reserve_quote',
      'pool.sqrtPriceX96': 'main_pool.sqrt_price_x96',
    }),
    ...columnsOf('count', { 'pool.tick': 'main_pool.tick' }),
    ...columnsOf('decimal', { 'pool.liquidity': 'main_pool.liquidity' }),
  ]
}
