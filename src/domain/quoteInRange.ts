const Q96 = 1n << 96n

interface PoolState {
  readonly liquidity: bigint | null
  readonly sqrtPriceX96: bigint | null
  readonly tokenIsToken0: boolean
}

/**
 * What the liquidity around the price would amount to of the quote currency if it lay at every price (Uniswap v3 whitepaper, 6.2). An
 * estimate of the depth of a pool that the operator has chosen: in any pool, one narrow position raises it at almost no cost.
 */
export function quoteInRange({ liquidity, sqrtPriceX96, tokenIsToken0 }: PoolState): bigint | null {
  if (liquidity === null || sqrtPriceX96 === null || sqrtPriceX96 === 0n) return null
  return tokenIsToken0 ? (liquidity * sqrtPriceX96) / Q96 : (liquidity * Q96) / sqrtPriceX96
}
