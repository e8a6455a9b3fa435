/** The APIs that sites, chart libraries and agents define and this service serves, by the words of the variable `INTEGRATIONS`. */
export const INTEGRATIONS = ['supply', 'udf', 'dexscreener', 'geckoterminal', 'dextools', 'coingecko', 'mcp'] as const
export type Integration = (typeof INTEGRATIONS)[number]
