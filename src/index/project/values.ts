import { type Address, isEther } from '#domain/address.ts'
import { type Decimal, max, multiply, ONE, units } from '#domain/decimal.ts'
import type { PoolRow } from '#tables/pool.ts'
import { currentPool, type Draft, type TokenDraft } from './draft.ts'

/** What amounts and prices are valued by. */
export interface Valuation {
  readonly weth: Address
  /** USD per ETH; `null`: not known. */
  readonly ethUsd: Decimal | null
}

const WETH_DECIMALS = 18
const Q96 = 1n << 96n

/** What 10^18 smallest units of a currency are worth in WETH; `null`: not known. */
export function rateOf(quoteToken: Address, weth: Address): Decimal | null {
  return isEther(quoteToken, weth) ? ONE : null
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
export function isQuotedInEther(draft: Draft, { mainPool }: TokenDraft, weth: Address): boolean {
  const pool = currentPool(draft, mainPool)
  return pool !== undefined && isEther(pool.quoteToken, weth)
}

/** Values the token by the state of its main pool: the present price, the first, and the highest. A pool that has not opened has no say. */
export function valueMarket(draft: Draft, token: TokenDraft, { weth }: Valuation): void {
  const pool = currentPool(draft, token.mainPool)
  if (pool === undefined) return
  token.quoteRate = rateOf(pool.quoteToken, weth)
  if (pool.price === null) return
  token.priceQuote = pool.price
  token.priceWeth = priceAt(pool.price, token.quoteRate)
  if (token.priceWeth === null) return
  token.firstPriceWeth ??= token.priceWeth
  token.athPriceWeth = token.athPriceWeth === null ? token.priceWeth : max(token.athPriceWeth, token.priceWeth)
}

/** In WETH: twice what the pool holds of the quote currency, so that a move of the market from a curve into a pool leaves it as it is. */
export function liquidityOf(pool: PoolRow, rate: Decimal | null): Decimal | null {
  const quote = pool.type === 'uniswap-v4' ? quoteInRange(pool) : pool.reserveQuote
  return quote === null ? null : priceAt(units(2n * quote, WETH_DECIMALS), rate)
}

/** The quote side of the liquidity around the price, as if it lay at every price (Uniswap v3 whitepaper, 6.2). */
function quoteInRange({ liquidity, sqrtPriceX96, tokenIsToken0 }: PoolRow): bigint | null {
  if (liquidity === null || sqrtPriceX96 === null || sqrtPriceX96 === 0n) return null
  return tokenIsToken0 ? (liquidity * sqrtPriceX96) / Q96 : (liquidity * Q96) / sqrtPriceX96
}
