/** `simulated`: the answer with the price is marked as one for a development chain. `pool`: the configured pools of pegged currencies. */
export const ETH_USD_SOURCES = ['coingecko', 'coinbase', 'pool', 'simulated'] as const
export type EthUsdSource = (typeof ETH_USD_SOURCES)[number]
