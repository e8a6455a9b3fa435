/** The maximum length of a route of pools from a quote currency to WETH. */
export const MAX_POOLS_TO_WETH = 3

/** Bounds the exponent of a price: no real currency has more decimals, but a contract may return any number. */
export const MAX_QUOTE_DECIMALS = 36
