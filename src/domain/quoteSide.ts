const Q96 = 1n << 96n

/** The fields of a pool from which its reserve of the quote currency follows. */
interface PoolState {
  readonly reserveQuote: bigint | null
  readonly liquidity: bigint | null
  readonly sqrtPriceX96: bigint | null
  readonly tokenIsToken0: boolean
}

/** What a pool holds of its quote currency, or what its liquidity around the price amounts to; `null`: not known. */
export function quoteSide(pool: PoolState): bigint | null {
  // No event contains the reserves of a v4 pool, or of a pool that is older than the index.
  return pool.reserveQuote ?? quoteInRange(pool)
}

/** The quote side of the liquidity around the price, as if it lay at every price (Uniswap v3 whitepaper, 6.2). */
function quoteInRange({ liquidity, sqrtPriceX96, tokenIsToken0 }: PoolState): bigint | null {
  if (liquidity === null || sqrtPriceX96 === null || sqrtPriceX96 === 0n) return null
  return tokenIsToken0 ? (liquidity * sqrtPriceX96) / Q96 : (liquidity * Q96) / sqrtPriceX96
}
