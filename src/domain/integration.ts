/** What is served for sites and charts with contracts of their own, by the words of `INTEGRATIONS`. */
export const INTEGRATIONS = ['supply', 'udf'] as const
export type Integration = (typeof INTEGRATIONS)[number]
