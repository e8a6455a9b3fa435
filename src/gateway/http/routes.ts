import { createDatabaseProbe } from '#gateway/databaseProbe.ts'
import { problem } from '#gateway/problem.ts'
import { type Route, resource } from '#gateway/route.ts'
import type { Sources } from '#gateway/sources.ts'
import { actorRoute, actorsRoute } from './actors.ts'
import { candlesRoute } from './candles.ts'
import { chainStatsRoute } from './chainStats.ts'
import { claimableRoute } from './claimable.ts'
import { ethUsdRoute } from './ethUsd.ts'
import { healthzRoute, indexerHealthRoute, readyzRoute } from './health.ts'
import { holdersRoute } from './holders.ts'
import { metricsRoute } from './metrics.ts'
import { searchRoute } from './search.ts'
import { siteRoutes } from './site.ts'
import { streamRoute } from './stream.ts'
import { tokenRoute, tokensRoute } from './tokens.ts'
import { tradesRoute } from './trades.ts'

/** The table of everything that HTTP answers. */
export function routes(sources: Sources): readonly Route[] {
  const probeDatabase = createDatabaseProbe({ ping: () => sources.reads.ping(), now: sources.now })
  return [
    tokensRoute(sources),
    tokenRoute(sources),
    tradesRoute(sources),
    holdersRoute(sources),
    candlesRoute(sources),
    claimableRoute(sources),
    streamRoute(sources),
    searchRoute(sources),
    ethUsdRoute(sources),
    chainStatsRoute(sources),
    indexerHealthRoute({ ...sources, probeDatabase }),
    actorsRoute(sources),
    actorRoute(sources),
    healthzRoute(),
    readyzRoute({ ...sources, probeDatabase }),
    metricsRoute(sources),
    webSocketRoute(),
    ...siteRoutes(sources),
  ]
}

/** Upgrades are taken before the table is asked; what comes here is somebody who looks at the address with a browser. */
function webSocketRoute(): Route {
  return resource({ path: '/realtime', cacheControl: 'never' }, async () =>
    problem(426, 'upgrade_required', '/realtime is for WebSockets: it answers upgrades only', [['Upgrade', 'websocket']]),
  )
}
