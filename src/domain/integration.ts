/** The APIs that sites and chart libraries define and this service serves, by the words of the variable `INTEGRATIONS`. */
export const INTEGRATIONS = ['supply', 'udf', 'dexscreener', 'geckoterminal', 'dextools', 'coingecko'] as const
export type Integration = (typeof INTEGRATIONS)[number]
