import { ethUsdPrice } from '#resources/ethUsd.ts'
import { jsonAnswer } from './answer.ts'
import { problem } from './problem.ts'
import { readRoutes } from './readRoutes.ts'
import { defineRoute, type Route, type RouteDescription, resourceRoute } from './route.ts'
import { descriptionRoutes } from './routes/descriptions.ts'
import { chainStatsRoute, launchpadsRoute } from './routes/launchpads.ts'
import { actorRoutes, healthzRoute, indexerHealthRoute, processesRoute, readyzRoute, usageRoute } from './routes/operatorRoutes.ts'
import { channelStreamRoute, streamRoute } from './routes/stream.ts'
import { consoleRoutes } from './site.ts'
import type { Failed, Sources } from './sources.ts'

/** The routes of the service. @param failed the problem of an error that is not the client's */
export function routes(sources: Sources, failed: Failed): readonly Route[] {
  const health = healthRoutes(sources)
  if (sources.config.role === 'indexer') return health
  const integrations = sources.integrations(sources, () => all, failed)
  const all: readonly Route[] = [
    ...publicRoutes(sources, integrations),
    ...health,
    ...descriptionRoutes(() => all, sources),
    ...consoleRoutes(sources),
  ]
  return all
}

/** The routes of a process of any role. */
function healthRoutes(sources: Sources): readonly Route[] {
  return [
    indexerHealthRoute(sources),
    processesRoute(sources),
    healthzRoute(),
    readyzRoute(sources),
    metricsRoute(sources),
    usageRoute(sources),
  ]
}

function publicRoutes(sources: Sources, integrations: readonly Route[]): readonly Route[] {
  return [
    ...readRoutes(sources),
    launchpadsRoute(sources),
    streamRoute(sources),
    channelStreamRoute(sources),
    ethUsdRoute(sources),
    chainStatsRoute(sources),
    ...integrations,
    ...actorRoutes(sources),
    webSocketRoute(),
  ]
}

const METRICS: RouteDescription = {
  id: 'getMetrics',
  tag: 'Health',
  summary: 'Metrics for Prometheus',
  answer: { contentType: 'text/plain', meaning: 'Metrics in Prometheus’ text format.' },
  problems: [],
}

const REALTIME: RouteDescription = {
  id: 'openWebSocket',
  tag: 'Realtime',
  summary: 'The WebSocket, whose messages /asyncapi.json describes',
  answer: null,
  problems: ['upgrade_required', 'origin_not_allowed', 'data_unavailable'],
}

function ethUsdRoute({ ethUsd }: Pick<Sources, 'ethUsd'>): Route {
  return resourceRoute(ethUsdPrice, async () => jsonAnswer(await ethUsd.get()))
}

function metricsRoute({ metrics }: Pick<Sources, 'metrics'>): Route {
  return defineRoute({ path: '/metrics', cacheControl: 'never', access: 'operator', description: METRICS }, async () => ({
    kind: 'answer',
    status: '200 OK',
    headers: [['Content-Type', metrics.contentType]],
    body: await metrics.render(),
  }))
}

/** The route for requests without an upgrade. uWebSockets handles upgrades before routes. */
function webSocketRoute(): Route {
  return defineRoute({ path: '/realtime', cacheControl: 'never', description: REALTIME }, async () =>
    problem(426, 'upgrade_required', '/realtime is for WebSockets: it answers upgrades only', [['Upgrade', 'websocket']]),
  )
}
