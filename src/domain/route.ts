/** Of a route from a quote currency to WETH. */
export const MAX_POOLS_TO_WETH = 3

/** A price's exponent. No currency has more, and a contract may say anything. */
export const MAX_QUOTE_DECIMALS = 36
