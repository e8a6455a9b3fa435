/** Of a route from a quote currency to WETH. */
export const MOST_POOLS_TO_WETH = 3
