/** What is served for sites and charts with contracts of their own, by the words of `INTEGRATIONS`. */
export const INTEGRATIONS = ['supply', 'udf', 'dexscreener', 'geckoterminal', 'dextools', 'coingecko'] as const
export type Integration = (typeof INTEGRATIONS)[number]
