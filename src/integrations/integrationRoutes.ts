import type { IntegrationRoutes } from '#gateway/http/sources.ts'
import { coingeckoRoutes, supplyRoutes } from './coingecko.ts'
import { dextoolsRoutes } from './dextools.ts'
import { dexscreenerRoutes, geckoterminalRoutes } from './marketData.ts'
import { mcpRoutes } from './mcp.ts'
import { udfRoutes } from './udf.ts'

/** The routes of the integrations that are switched on. */
export const integrationRoutes: IntegrationRoutes = (sources, all, failed) => {
  const routesOf = {
    coingecko: coingeckoRoutes,
    supply: supplyRoutes,
    udf: udfRoutes,
    dexscreener: dexscreenerRoutes,
    geckoterminal: geckoterminalRoutes,
    dextools: dextoolsRoutes,
    mcp: () => mcpRoutes(all, { ...sources, failed }),
  }
  return sources.config.integrations.flatMap(integration => routesOf[integration](sources))
}
