import { jsonAnswer } from '#gateway/answer.ts'
import { problem } from '#gateway/problem.ts'
import { type Route, resource } from '#gateway/route.ts'
import type { Sources } from '#gateway/sources.ts'
import { actorRoute, actorsRoute } from './actors.ts'
import { candlesRoute } from './candles.ts'
import { chainStatsRoute } from './chainStats.ts'
import { claimableRoute } from './claimable.ts'
import { healthzRoute, indexerHealthRoute, readyzRoute } from './health.ts'
import { holdersRoute } from './holders.ts'
import { siteRoutes } from './site.ts'
import { streamRoute } from './stream.ts'
import { searchRoute, tokenRoute, tokensRoute } from './tokens.ts'
import { tradesRoute } from './trades.ts'

export function routes(sources: Sources): readonly Route[] {
  return sources.config.role === 'indexer' ? healthRoutes(sources) : [...healthRoutes(sources), ...publicRoutes(sources)]
}

/** What a process of every role answers. */
function healthRoutes(sources: Sources): readonly Route[] {
  return [indexerHealthRoute(sources), healthzRoute(), readyzRoute(sources), metricsRoute(sources)]
}

function publicRoutes(sources: Sources): readonly Route[] {
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
    actorsRoute(sources),
    actorRoute(sources),
    webSocketRoute(),
    ...siteRoutes(sources),
  ]
}

function ethUsdRoute({ ethUsd }: Pick<Sources, 'ethUsd'>): Route {
  return resource({ path: '/api/market/eth-usd', cacheControl: 'revalidate' }, async () => jsonAnswer(await ethUsd.get()))
}

function metricsRoute({ metrics }: Pick<Sources, 'metrics'>): Route {
  return resource({ path: '/metrics', cacheControl: 'never', access: 'operator' }, async () => ({
    kind: 'answer',
    status: '200 OK',
    headers: [['Content-Type', metrics.contentType]],
    body: await metrics.render(),
  }))
}

/** For requests without an upgrade: uWebSockets takes the upgrades before. */
function webSocketRoute(): Route {
  return resource({ path: '/realtime', cacheControl: 'never' }, async () =>
    problem(426, 'upgrade_required', '/realtime is for WebSockets: it answers upgrades only', [['Upgrade', 'websocket']]),
  )
}
