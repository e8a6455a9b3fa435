/** `simulated`: the answer with the price is marked as one for a development chain. */
export const ETH_USD_SOURCES = ['coingecko', 'coinbase', 'simulated'] as const
export type EthUsdSource = (typeof ETH_USD_SOURCES)[number]
