import { sql } from 'kysely'
import { formatUnits, multiplyTexts, parseDecimal } from '#domain/decimal.ts'
import type { TokenLink } from '#domain/metadata.ts'
import { WETH_DECIMALS } from '#domain/prices.ts'
import { cleanQuoteSymbol, TEXT_LIMITS } from '#domain/text.ts'
import { shownPool } from '#domain/trade.ts'
import { perWindow, WINDOW_FIELDS, type WindowName } from '#domain/windows.ts'
import type { Pool, Token } from '#resources/token.ts'
import { type Prefixed, selectList, without } from '#store/rows/insertRows.ts'
import type { StoredRow } from '#tables/columns.ts'
import { POOL, type PoolRow } from '#tables/pool.ts'
import { FULL_TOKEN, type FullTokenRow, type TokenRow } from '#tables/token.ts'
import { toEarly } from './holders.ts'
import { secondsToIso, trimScale, weiToWeth, wholeUnits } from './page.ts'
import { joinQuote } from './toTrade.ts'

/** Columns that the API does not show. They are left out, since decoding columns takes half of the time of a list of tokens. */
const HIDDEN_OF_TOKEN = [
  'mainPool',
  'eventPriceWeth',
  'lastPriceAt',
  'openedAt',
  'closeUsd',
  'referencePriceM5',
  'referencePriceH1',
  'referencePriceH6',
  'referencePriceH24',
  'windowsAt',
  'windowsExpireAt',
  'graduatedPriceWeth',
  'vestingClaimed',
  'vestingEndsAt',
  'tradesM5',
  'tradesH1',
  'tradesH24',
  'trending',
] as const
const HIDDEN_OF_POOL = [
  'positionsToken',
  'positionsQuote',
  'token',
  'launchpad',
  'price',
  'positionId',
  'createdBlock',
  'lastChangedBlock',
] as const

type ShownToken = Omit<FullTokenRow, (typeof HIDDEN_OF_TOKEN)[number]>
type ShownPool = Omit<PoolRow, (typeof HIDDEN_OF_POOL)[number]>

export type SelectedToken = StoredRow<ShownToken> &
  (Prefixed<'pool', StoredRow<ShownPool>> | { readonly 'pool.address': null }) & {
    readonly 'quote.symbol': string | null
    readonly 'quote.decimals': number | null
  }

/** The select list of tokens with their main pools and quote currencies, from `token` left-joined by `MAIN_POOL`. */
export const SELECTED_TOKEN = sql`${selectList(without(FULL_TOKEN, HIDDEN_OF_TOKEN))}, ${selectList(without(POOL, HIDDEN_OF_POOL), 'main_pool', 'pool')},
  quote.symbol as "quote.symbol", quote.decimals as "quote.decimals"`

export const MAIN_POOL = sql`left join pool as main_pool on main_pool.address = token.main_pool
  ${joinQuote(sql`main_pool.quote_token`)}`

/**
 * A stored token as the API shows it. Only a peg gives it USD values here. Otherwise they are `null`, and the gateway fills them in, since
 * the price of ETH is not chain state.
 */
export function toToken(row: SelectedToken, chainId: number): Token {
  // The stored volumes sum up amounts in WETH. A token that has traded but never had a price in WETH has no known amount.
  const hasVolume = row.tradeCount === 0 || row.firstPriceWeth !== null
  const inUsd = peggedValues(row)
  return {
    chainId,
    address: row.address,
    symbol: row.symbol,
    name: row.name,
    decimals: row.decimals,
    totalSupply: row.totalSupply,
    creator: row.creator,
    admin: row.admin,
    launchpad: row.launchpad,
    createdAt: secondsToIso(row.createdAt),
    createdBlock: String(row.createdBlock),
    createdTxHash: row.createdTxHash,
    metadataUri: withImage(row.metadataUri, row.imageUri),
    imageUrl: row.imageUrl,
    description: row.description,
    links: linksOf(row.links),
    surface: row.surface,
    market: {
      priceQuote: wholeUnits(trimScale(row.priceQuote), row['quote.decimals']),
      priceWeth: trimScale(row.priceWeth),
      priceUsd: inUsd.price,
      marketCapWeth: trimScale(row.marketCapWeth),
      marketCapUsd: inUsd.marketCap,
      liquidityWeth: trimScale(row.liquidityWeth),
      liquidityUsd: inUsd.liquidity,
      volumeWeth: perWindow(window => (hasVolume ? weiToWeth(row[WINDOW_FIELDS[window].volume]) : null)),
      buyVolumeWeth: perWindow(window => (hasVolume ? weiToWeth(row[WINDOW_FIELDS[window].buyVolume]) : null)),
      sellVolumeWeth: perWindow(window => (hasVolume ? weiToWeth(sellVolume(row, window)) : null)),
      priceChange: perWindow(window => row[WINDOW_FIELDS[window].priceChange]),
      trades: perWindow(window => {
        const { buys, sells, buyers, sellers } = WINDOW_FIELDS[window]
        return { buys: row[buys], sells: row[sells], buyers: row[buyers], sellers: row[sellers] }
      }),
      tradeCount: row.tradeCount,
      holderCount: row.holderCount,
      lastTradeAt: secondsToIso(row.lastTradeAt),
      athPriceWeth: highestPrice(row),
      athPriceUsd: trimScale(row.athPriceUsd),
    },
    pool: toPool(row),
    fees: {
      creatorFeeBps: row.creatorFeeBps,
      accruedWeth: weiToWeth(row.feesAccrued),
      claimedWeth: weiToWeth(row.feesClaimed),
      claimableWeth: claimableWeth(row),
    },
    graduation: {
      status: row.graduationStatus,
      percent: row.graduationPercent,
      raisedWeth: valueInWeth(row.raised, row.quoteRate),
      targetWeth: valueInWeth(row.target, row.quoteRate),
      completedAt: secondsToIso(row.completedAt),
      migratedAt: secondsToIso(row.migratedAt),
      poolAddress: row.graduatedPool,
      txHash: row.graduationTxHash,
    },
    early: toEarly(row),
    sequence: row.sequence,
    asOfBlock: String(row.asOfBlock),
    updatedAt: new Date(row.updatedAtMs).toISOString(),
  }
}

/** The highest price at an event of the market, or the present price if the quote currency's rate has raised it above that. */
function highestPrice({ quoteToken, athPriceWeth, priceWeth }: SelectedToken): string | null {
  if (quoteToken === null || athPriceWeth === null || priceWeth === null) return trimScale(athPriceWeth)
  return trimScale(parseDecimal(priceWeth) > parseDecimal(athPriceWeth) ? priceWeth : athPriceWeth)
}

/** The volume of sales in wei. */
function sellVolume(row: SelectedToken, window: WindowName): string {
  const { volume, buyVolume } = WINDOW_FIELDS[window]
  return (BigInt(row[volume]) - BigInt(row[buyVolume])).toString()
}

/** The value in WETH of an amount of the main pool's currency. */
function valueInWeth(amount: string | null, rate: string | null): string | null {
  if (amount === null || rate === null) return null
  return rate === '1' ? weiToWeth(amount) : multiplyTexts(weiToWeth(amount), trimScale(rate))
}

function claimableWeth({ feesAccrued, feesClaimed }: SelectedToken): string | null {
  return feesAccrued === null || feesClaimed === null ? null : weiToWeth((BigInt(feesAccrued) - BigInt(feesClaimed)).toString())
}

function toPool(row: SelectedToken): Pool | null {
  if (row['pool.address'] === null) return null
  return {
    address: shownPool(row['pool.address']),
    type: row['pool.type'],
    quoteToken: row['pool.quoteToken'],
    quoteSymbol: cleanQuoteSymbol(row['quote.symbol']),
    quoteDecimals: row['quote.decimals'],
    feeBps: row['pool.feeBps'],
    reserveToken: row['pool.reserveToken'],
    reserveQuote: row['pool.reserveQuote'],
    sqrtPriceX96: row['pool.sqrtPriceX96'],
    tick: row['pool.tick'],
    liquidity: row['pool.liquidity'],
  }
}

/**
 * A metadata document with the image that the token's contract names beside it, in place of its own. Metadata that is no JSON object, or
 * would be longer than the limit, stays as it is.
 */
export function withImage(metadata: string | null, image: string | null, limit: number = TEXT_LIMITS.metadataUri): string | null {
  if (image === null || (metadata ?? '').length > limit) return metadata
  const text = (metadata ?? '').trim()
  const combined = combine(text === '' ? '{}' : text, image)
  return combined === null || combined.length > limit ? metadata : combined
}

/** `null`: the text is no object, or too deeply nested to be written again. */
function combine(metadata: string, image: string): string | null {
  if (!metadata.startsWith('{')) return null
  try {
    return JSON.stringify({ ...(JSON.parse(metadata) as object), image })
  } catch {
    return null
  }
}

/** A stored token with its main pool. */
type StoredToken = StoredRow<Pick<TokenRow, 'quoteUsd' | 'priceQuote' | 'totalSupply' | 'decimals'>> &
  (Prefixed<'pool', StoredRow<Pick<PoolRow, 'address' | 'reserveQuote'>>> | { readonly 'pool.address': null })

interface PeggedValues {
  readonly price: string | null
  readonly marketCap: string | null
  readonly liquidity: string | null
}

const NOT_PEGGED: PeggedValues = { price: null, marketCap: null, liquidity: null }

/** A token's values in USD by a peg of its quote currency. As in WETH, liquidity is twice the pool's quote side. */
function peggedValues(row: StoredToken): PeggedValues {
  const usd = trimScale(row.quoteUsd)
  if (usd === null || row['pool.address'] === null) return NOT_PEGGED
  const price = row.priceQuote === null ? null : multiplyTexts(trimScale(row.priceQuote), usd)
  const quote = row['pool.reserveQuote']
  return {
    price,
    marketCap: price === null ? null : multiplyTexts(price, formatUnits(BigInt(row.totalSupply), row.decimals)),
    liquidity: quote === null ? null : multiplyTexts(formatUnits(2n * BigInt(quote), WETH_DECIMALS), usd),
  }
}

/** Parses the links of a token's row, which are in the order of the metadata. */
export function linksOf(text: string | null): readonly TokenLink[] {
  return text === null ? [] : (JSON.parse(text) as TokenLink[]).map(({ kind, url }) => ({ kind, url }))
}
