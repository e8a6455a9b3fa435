import { defineEntity } from '@mikro-orm/core'
import { windowFields } from '#domain/windows.ts'
import { column } from './columns.ts'
import { type RowOf, tableOf } from './tableOf.ts'

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
  /** The main pool's price in its own currency, in 10^18 of the smallest units; `null`: it has none, or had none in this currency yet. */
  priceQuote: column.decimal().strictNullable(),
  /** The main pool's currency; `null` where that is ether. */
  quoteToken: column.address().strictNullable(),
  /**
   * What 10^18 smallest units of that currency are worth in WETH, as of the market's last event or a later revaluation; `null`: not known.
   */
  quoteRate: column.decimal().strictNullable(),
  /** The same in USD, by a peg; `null`: none leads to it. */
  quoteUsd: column.decimal().strictNullable(),
  priceWeth: column.decimal().strictNullable(),
  /** The price in WETH at the market's last event: candles, price changes and the highest price come from it. */
  eventPriceWeth: column.decimal().strictNullable(),
  /** The token's first price: the base of a price change over a window that is longer than the token's life. */
  firstPriceWeth: column.decimal().strictNullable(),
  athPriceWeth: column.decimal().strictNullable(),
  /** The highest price of the candles in USD; `null`: there is none. */
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
  /** Block time of the first trade that the creator did not make; `null`: there is none. */
  openedAt: column.seconds().strictNullable(),
  /** What the accounts of each early class hold together; `null`: not known, as an earlier version has indexed the token. */
  creatorHeld: column.units().strictNullable(),
  sniperHeld: column.units().strictNullable(),
  bundlerHeld: column.units().strictNullable(),
  insiderHeld: column.units().strictNullable(),

  ...windowFields('volume', () => column.wei()),
  /** The part of `volume` that came from buys. */
  ...windowFields('buyVolume', () => column.wei()),
  ...windowFields('buys', () => column.integer()),
  ...windowFields('sells', () => column.integer()),
  /** Distinct makers. */
  ...windowFields('buyers', () => column.integer()),
  ...windowFields('sellers', () => column.integer()),
  /** The price at each window's start; `null`: the token had none yet, or has none now. */
  ...windowFields('referencePrice', () => column.decimal().strictNullable()),
  /** In percent. */
  ...windowFields('priceChange', () => column.double().strictNullable()),
  /** The block timestamp as of which the windows are computed. */
  windowsAt: column.seconds(),
  /** The first timestamp at which a trade leaves a window; `null`: never. The windows hold until then. */
  windowsExpireAt: column.seconds().strictNullable(),

  creatorFeeBps: column.double().strictNullable(),
  feesAccrued: column.wei().strictNullable(),
  feesClaimed: column.wei().strictNullable(),
  /** What was claimed of the tokens that vest to the creator's account; `null`: none vest. */
  vestingClaimed: column.units().strictNullable(),
  /** When all have vested; `null`: none vest, or it is not known. */
  vestingEndsAt: column.seconds().strictNullable(),

  graduationStatus: column.oneOf('graduation_status', ['none', 'bonding', 'completed', 'migrated']),
  /** 0 to 100; `null` where there is no graduation or its target is unknown. */
  graduationPercent: column.double().strictNullable(),
  /** In the curve's currency, as the target. */
  raised: column.units().strictNullable(),
  target: column.units().strictNullable(),
  completedAt: column.seconds().strictNullable(),
  migratedAt: column.seconds().strictNullable(),
  graduatedPool: column.hex().strictNullable(),
  /** The price at which the graduated pool opened. */
  graduatedPriceWeth: column.decimal().strictNullable(),
  graduationTxHash: column.hex().strictNullable(),

  /** The last block that changed what is shown of the token. */
  asOfBlock: column.blockNumber(),
}

/** What projection determines, and what each commit that changes the token sets. */
const written = {
  ...projected,
  /** The commit's time in milliseconds, or one more than before when that is larger. */
  sequence: column.bigint((stored, committedAtMs) => `greatest(${stored} + 1, ${committedAtMs})`),
  updatedAtMs: column.milliseconds(),
}

const properties = {
  ...written,
  // From the image of the contract and the document behind the metadata URI (rows/metadata.ts).
  imageUrl: column.text().strictNullable(),
  description: column.text().strictNullable(),
  /** JSON. */
  links: column.text().strictNullable(),
  tradesM5: column.integer().generated('(buys_m5 + sells_m5) stored'),
  tradesH1: column.integer().generated('(buys_h1 + sells_h1) stored'),
  tradesH24: column.integer().generated('(buys_h24 + sells_h24) stored'),
  /** 24 times the buyers per hour: of the last hour, of the last 6 hours, and of the last 24 hours, added. */
  trending: column.integer().generated('(((24 * buyers_h1) + (4 * buyers_h6)) + buyers_h24) stored'),
}

/** What lists are sorted by: the name of the index and the property. */
const SORTED = [
  ['created_at', 'createdAt'],
  ['market_cap', 'marketCapWeth'],
  ['volume_m5', 'volumeM5'],
  ['volume_h1', 'volumeH1'],
  ['volume_h24', 'volumeH24'],
  ['price_change_m5', 'priceChangeM5'],
  ['price_change_h1', 'priceChangeH1'],
  ['price_change_h24', 'priceChangeH24'],
  ['liquidity', 'liquidityWeth'],
  ['holder_count', 'holderCount'],
  ['trades_m5', 'tradesM5'],
  ['trades_h1', 'tradesH1'],
  ['trades_h24', 'tradesH24'],
  ['last_trade_at', 'lastTradeAt'],
  ['graduation', 'graduationPercent'],
  ['migrated_at', 'migratedAt'],
  ['trending', 'trending'],
] as const

/** What the quote currency was worth when the token was valued: in WETH, or else by a peg. Queries have to use the same expression. */
export const QUOTE_WORTH = '(coalesce(quote_rate, quote_usd))'

/** A token with everything that lists and updates show of it. */
export const TokenEntity = defineEntity({
  name: 'Token',
  tableName: 'token',
  properties,
  indexes: [
    ...SORTED.map(([name, property]) => ({
      name: `token_by_${name}`,
      properties: ['launchpad' as const, 'graduationStatus' as const, property, 'address' as const],
    })),
    {
      name: 'token_by_creator',
      properties: ['creator', 'launchpad', 'graduationStatus', 'address'],
      include: SORTED.map(([, property]) => property),
    },
    { name: 'token_by_surface', properties: ['surface', 'launchpad', 'graduationStatus', 'address'], where: 'surface is not null' },
    { name: 'token_by_updated_at', properties: ['updatedAtMs'] },
    {
      name: 'token_by_quote',
      expression: `create index token_by_quote on token (quote_token, ${QUOTE_WORTH}, address) where quote_token is not null`,
    },
    { name: 'token_by_windows_expire_at', properties: ['windowsExpireAt'], where: 'windows_expire_at is not null' },
    {
      name: 'token_by_symbol',
      expression: 'create index token_by_symbol on token (lower(symbol) text_pattern_ops, market_cap_weth desc nulls last, address)',
    },
    // On this table, since a search compares hundreds of names with one beginning by market cap: look-ups would take it half as long again.
    { name: 'token_by_name_prefix', expression: 'create index token_by_name_prefix on token (lower(name) text_pattern_ops)' },
    { name: 'token_by_size', expression: 'create index token_by_size on token (market_cap_weth desc nulls last, address)' },
  ],
})

export interface TokenRow extends RowOf<typeof projected> {}
export const TOKEN = tableOf(TokenEntity, projected)

export const WRITTEN_TOKEN = tableOf(TokenEntity, written)

export interface FullTokenRow extends RowOf<typeof properties> {}
export const FULL_TOKEN = tableOf(TokenEntity, properties)
