import { type Address, type Hex, isEther } from '#domain/address.ts'
import { type Decimal, max, multiply, ONE, powerOfTen, ratio, units } from '#domain/decimal.ts'
import { MOST_POOLS_TO_WETH } from '#domain/route.ts'
import type { PoolRow } from '#tables/pool.ts'
import type { TokenRow } from '#tables/token.ts'
import { currentPool, type Draft, type TokenDraft } from './draft.ts'

/** What amounts and prices are valued by. */
export interface Valuation {
  readonly weth: Address
  /** USD per ETH; `null`: not known. */
  readonly ethUsd: Decimal | null
  /** The configured pools of each quote currency. */
  readonly quotePools: ReadonlyMap<Address, readonly Hex[]>
  /** Currencies beside WETH of which every unit is a wei of ETH. */
  readonly etherWrappers: ReadonlySet<Address>
}

const WETH_DECIMALS = 18
const Q96 = 1n << 96n

/**
 * What 10^18 smallest units of a currency are worth in WETH by the present state of pools: those that the configuration names, and the
 * market of the currency where it is an indexed token. Of several the deepest counts. `null`: no pool leads there.
 */
export function rateOf(draft: Draft, currency: Address, valuation: Valuation, pools = MOST_POOLS_TO_WETH): Decimal | null {
  if (isInEther(currency, valuation)) return ONE
  if (pools === 0) return null
  const configured = (valuation.quotePools.get(currency) ?? []).map(address => ({ address, decimals: WETH_DECIMALS }))
  const market = quoteMarket(draft, currency)
  const candidates = market === undefined ? configured : [...configured, { address: market.mainPool, decimals: market.decimals }]
  let best: { readonly rate: Decimal; readonly depth: Decimal } | null = null
  for (const { address, decimals } of candidates) {
    const pool = currentPool(draft, address)
    if (pool === undefined || pool.price === null) continue
    const onward = rateOf(draft, pool.quoteToken, valuation, pools - 1)
    const rate = priceAt(perSmallestUnits(pool.price, decimals), onward)
    const depth = liquidityOf(pool, onward) ?? NOTHING
    if (rate !== null && (best === null || depth > best.depth)) best = { rate, depth }
  }
  return best?.rate ?? null
}

const NOTHING = units(0n, 0)

/** The market of a currency that is an indexed token. */
function quoteMarket({ tokens, rows }: Draft, currency: Address): Pick<TokenRow, 'mainPool' | 'decimals'> | undefined {
  return tokens.get(currency) ?? rows.tokens.get(currency) ?? rows.quotes.get(currency)
}

/** Of a price per whole token, that of 10^18 smallest units. */
function perSmallestUnits(price: Decimal, decimals: number): Decimal | null {
  return decimals === WETH_DECIMALS ? price : ratio(price * powerOfTen(WETH_DECIMALS), ONE * powerOfTen(decimals))
}

/** In WETH, of a price or another decimal in 10^18 smallest units of a currency. */
export function priceAt(price: Decimal | null, rate: Decimal | null): Decimal | null {
  if (price === null || rate === null) return null
  return rate === ONE ? price : multiply(price, rate)
}

/** In wei, of an amount in a currency's smallest units. */
export function weiAt(amount: bigint | null, rate: Decimal | null): bigint | null {
  if (amount === null || rate === null) return null
  return rate === ONE ? amount : (amount * rate) / ONE
}

/** Whether the token's main pool is paid in ether; `false` before there is one. */
export function isQuotedInEther(draft: Draft, { mainPool }: TokenDraft, valuation: Valuation): boolean {
  const pool = currentPool(draft, mainPool)
  return pool !== undefined && isInEther(pool.quoteToken, valuation)
}

function isInEther(currency: Address, { weth, etherWrappers }: Valuation): boolean {
  return isEther(currency, weth) || etherWrappers.has(currency)
}

/** Values the token by the state of its main pool: the present price, the first, and the highest. A pool that has not opened has no say. */
export function valueMarket(draft: Draft, token: TokenDraft, valuation: Valuation): void {
  const pool = currentPool(draft, token.mainPool)
  if (pool === undefined) return
  token.quoteRate = rateOf(draft, pool.quoteToken, valuation)
  if (pool.price === null) return
  token.priceQuote = pool.price
  token.priceWeth = priceAt(pool.price, token.quoteRate)
  if (token.priceWeth === null) return
  token.firstPriceWeth ??= token.priceWeth
  token.athPriceWeth = token.athPriceWeth === null ? token.priceWeth : max(token.athPriceWeth, token.priceWeth)
}

/** In WETH: twice what the pool holds of the quote currency, so that a move of the market from a curve into a pool leaves it as it is. */
export function liquidityOf(pool: PoolRow, rate: Decimal | null): Decimal | null {
  // No event tells the reserves of a v4 pool, and those of a pool that is older than the index.
  const quote = pool.reserveQuote ?? quoteInRange(pool)
  return quote === null ? null : priceAt(units(2n * quote, WETH_DECIMALS), rate)
}

/** The quote side of the liquidity around the price, as if it lay at every price (Uniswap v3 whitepaper, 6.2). */
function quoteInRange({ liquidity, sqrtPriceX96, tokenIsToken0 }: PoolRow): bigint | null {
  if (liquidity === null || sqrtPriceX96 === null || sqrtPriceX96 === 0n) return null
  return tokenIsToken0 ? (liquidity * sqrtPriceX96) / Q96 : (liquidity * Q96) / sqrtPriceX96
}
