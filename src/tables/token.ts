import { defineEntity } from '@mikro-orm/core'
import { windowFields } from '#domain/windows.ts'
import { column, columnName, ofBlocks, type RowOf, tableOf } from './columns.ts'

/** The columns that projection determines. A reorg restores them. */
const projected = {
  address: column.address().primary(),
  launchpad: column.text(),
  symbol: column.text().strictNullable(),
  name: column.text().strictNullable(),
  decimals: column.smallint(),
  totalSupply: column.units(),
  creator: column.address(),
  createdAt: column.seconds(),
  createdBlock: column.blockNumber(),
  createdTxHash: column.hex(),
  metadataUri: column.text().strictNullable(),
  /** The image that the token's contract names beside its metadata; `null`: none. */
  imageUri: column.text().strictNullable(),
  /** Who may change the metadata; `null`: not known. */
  admin: column.address().strictNullable(),
  /** The front end that the launch names, in lower case; `null`: it names none. */
  surface: column.text().strictNullable(),

  mainPool: column.hex().strictNullable(),
  /** The main pool's price in 10^18 smallest units of its currency; `null`: there was none yet in this currency. */
  priceQuote: column.decimal().strictNullable(),
  /** The main pool's currency; `null` where that is ether. */
  quoteToken: column.address().strictNullable(),
  /** The value of 10^18 smallest units of that currency in WETH at the last event or revaluation; `null`: not known. */
  quoteRate: column.decimal().strictNullable(),
  /** The same value in USD, by a peg; `null`: no peg applies. */
  quoteUsd: column.decimal().strictNullable(),
  priceWeth: column.decimal().strictNullable(),
  /** The price in WETH at the market's last event. Candles, price changes and the highest price are made from it. */
  eventPriceWeth: column.decimal().strictNullable(),
  /** The token's first price, from which changes are measured over windows that are longer than the token's life. */
  firstPriceWeth: column.decimal().strictNullable(),
  athPriceWeth: column.decimal().strictNullable(),
  /** The highest price of the candles in USD; `null`: there are none. */
  athPriceUsd: column.decimal().strictNullable(),
  /** The last block time at which a candle took a price; `null`: there is no candle. */
  lastPriceAt: column.seconds().strictNullable(),
  /** The close of the newest candle in USD; `null`: there is none. */
  closeUsd: column.decimal().strictNullable(),
  marketCapWeth: column.decimal().strictNullable(),
  liquidityWeth: column.decimal().strictNullable(),
  tradeCount: column.integer(),
  holderCount: column.integer(),
  lastTradeAt: column.seconds().strictNullable(),
  /** The block time of the first trade that the creator did not make; `null`: there is none. */
  openedAt: column.seconds().strictNullable(),
  /** The balances of each early class together; `null`: not known, since an earlier version has indexed the token. */
  creatorHeld: column.units().strictNullable(),
  sniperHeld: column.units().strictNullable(),
  bundlerHeld: column.units().strictNullable(),
  insiderHeld: column.units().strictNullable(),

  ...windowFields('volume', () => column.wei()),
  /** The part of `volume` that came from buys. */
  ...windowFields('buyVolume', () => column.wei()),
  ...windowFields('buys', () => column.integer()),
  ...windowFields('sells', () => column.integer()),
  /** The numbers of distinct makers. */
  ...windowFields('buyers', () => column.integer()),
  ...windowFields('sellers', () => column.integer()),
  /** The price at each window's start; `null`: the token had no price yet, or has none now. */
  ...windowFields('referencePrice', () => column.decimal().strictNullable()),
  /** In percent. */
  ...windowFields('priceChange', () => column.double().strictNullable()),
  /** The block timestamp as of which the windows are computed. */
  windowsAt: column.seconds(),
  /** The time until which the windows are right: when the next trade leaves one; `null`: no trade will. */
  windowsExpireAt: column.seconds().strictNullable(),

  creatorFeeBps: column.double().strictNullable(),
  feesAccrued: column.wei().strictNullable(),
  feesClaimed: column.wei().strictNullable(),
  /** The claimed amount of the tokens that vest to the creator's account; `null`: no tokens vest. */
  vestingClaimed: column.units().strictNullable(),
  /** When all of them have vested; `null`: no tokens vest, or it is not known. */
  vestingEndsAt: column.seconds().strictNullable(),

  graduationStatus: column.oneOf('graduation_status', ['none', 'bonding', 'completed', 'migrated']),
  /** 0 to 100; `null`: there is no graduation, or its target is not known. */
  graduationPercent: column.double().strictNullable(),
  /** The raised amount in the curve's currency, like the target. */
  raised: column.units().strictNullable(),
  target: column.units().strictNullable(),
  completedAt: column.seconds().strictNullable(),
  migratedAt: column.seconds().strictNullable(),
  graduatedPool: column.hex().strictNullable(),
  /** The price at which the graduated pool opened. */
  graduatedPriceWeth: column.decimal().strictNullable(),
  graduationTxHash: column.hex().strictNullable(),

  /** The last block that changed a value that the API shows of the token. */
  asOfBlock: column.blockNumber(),
}

/** The columns that a commit writes: the projected ones, and those that it sets on each token that it changes. */
const written = {
  ...projected,
  /** The commit's time in Unix milliseconds, or one more than the sequence before if that is larger. */
  sequence: column.bigint((stored, committedAtMs) => `greatest(${stored} + 1, ${committedAtMs})`),
  updatedAtMs: column.milliseconds(),
}

const properties = {
  ...written,
  // Copied from the documents behind the metadata URI and the image that the contract names (rows/metadata.ts).
  imageUrl: column.text().strictNullable(),
  description: column.text().strictNullable(),
  /** A list of `TokenLink` as JSON. */
  links: column.text().strictNullable(),
  tradesM5: column.integer().generated('(buys_m5 + sells_m5) stored'),
  tradesH1: column.integer().generated('(buys_h1 + sells_h1) stored'),
  tradesH24: column.integer().generated('(buys_h24 + sells_h24) stored'),
  /** The sum of the buyers per hour of the last hour, 6 hours and 24 hours, times 24. */
  trending: column.integer().generated('(((24 * buyers_h1) + (4 * buyers_h6)) + buyers_h24) stored'),
}

/** The column of each sort of lists, which has an index of its own. */
export const SORTED_BY = {
  createdAt: 'createdAt',
  marketCap: 'marketCapWeth',
  volume5m: 'volumeM5',
  volume1h: 'volumeH1',
  volume24h: 'volumeH24',
  priceChange5m: 'priceChangeM5',
  priceChange1h: 'priceChangeH1',
  priceChange24h: 'priceChangeH24',
  liquidity: 'liquidityWeth',
  holders: 'holderCount',
  trades5m: 'tradesM5',
  trades1h: 'tradesH1',
  trades24h: 'tradesH24',
  lastTradeAt: 'lastTradeAt',
  graduation: 'graduationPercent',
  migratedAt: 'migratedAt',
  trending: 'trending',
} as const satisfies Readonly<Record<string, keyof typeof properties>>
const SORTED = Object.values(SORTED_BY)

/** The quote currency's rate by which the token was valued: in WETH, or else by a peg. Queries have to use the same expression. */
export const QUOTE_VALUE = '(coalesce(quote_rate, quote_usd))'

/** A token with all values that lists and updates show of it. */
export const TokenEntity = ofBlocks(
  { undone: 'image', leavesBy: 'launchpad', joins: 'all' },
  defineEntity({
    name: 'Token',
    tableName: 'token',
    properties,
    indexes: [
      ...SORTED.map(property => ({
        name: `token_by_${columnName(property.replace(/Weth$|Percent$/, ''))}`,
        properties: ['launchpad' as const, 'graduationStatus' as const, property, 'address' as const],
      })),
      {
        name: 'token_by_creator',
        properties: ['creator', 'launchpad', 'graduationStatus', 'address'],
        include: SORTED,
      },
      { name: 'token_by_surface', properties: ['surface', 'launchpad', 'graduationStatus', 'address'], where: 'surface is not null' },
      { name: 'token_by_updated_at', properties: ['updatedAtMs'] },
      {
        name: 'token_by_quote',
        expression: `create index token_by_quote on token (quote_token, ${QUOTE_VALUE}, address) where quote_token is not null`,
      },
      { name: 'token_by_windows_expire_at', properties: ['windowsExpireAt'], where: 'windows_expire_at is not null' },
      {
        name: 'token_by_symbol',
        expression: 'create index token_by_symbol on token (lower(symbol) text_pattern_ops, market_cap_weth desc nulls last, address)',
      },
      // This index is not on `token_name`, since a search compares hundreds of names with one prefix by market cap, which is in this table.
      { name: 'token_by_name_prefix', expression: 'create index token_by_name_prefix on token (lower(name) text_pattern_ops)' },
      { name: 'token_by_size', expression: 'create index token_by_size on token (market_cap_weth desc nulls last, address)' },
    ],
  }),
)

export interface TokenRow extends RowOf<typeof projected> {}
export const TOKEN = tableOf(TokenEntity, projected)

export const WRITTEN_TOKEN = tableOf(TokenEntity, written)

export interface FullTokenRow extends RowOf<typeof properties> {}
export const FULL_TOKEN = tableOf(TokenEntity, properties)

const nameProperties = {
  token: column.address().primary(),
  name: column.text(),
}

/**
 * The name of each token that has one, for the search by words and by endings. A trade rewrites the token's row and all of its index
 * entries, but a name hardly ever changes, so its indexes are on this table.
 */
export const TokenNameEntity = ofBlocks(
  { leavesBy: 'token', joins: 'all' },
  defineEntity({
    name: 'TokenName',
    tableName: 'token_name',
    properties: nameProperties,
    indexes: [
      {
        name: 'token_name_by_suffix',
        expression: 'create index token_name_by_suffix on token_name (reverse(lower(name)) text_pattern_ops)',
      },
      {
        name: 'token_name_by_words',
        expression: `create index token_name_by_words on token_name using gin (to_tsvector('simple', name)) with (fastupdate = off)`,
      },
    ],
  }),
)
