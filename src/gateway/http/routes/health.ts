import { healthStatus } from '#gateway/health/healthStatus.ts'
import { type HealthSources, readHealth } from '#gateway/health/readHealth.ts'
import { jsonAnswer } from '#gateway/http/answer.ts'
import { RETRY_AFTER, unavailable } from '#gateway/http/problem.ts'
import { type Route, resourceRoute } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { alive, type IndexerHealth, ready, serviceHealth } from '#resources/health.ts'
import type { OperatorHealth } from '#resources/indexerState.ts'

/** Answers even when the database or the indexer fails. Operators get the full messages of providers and the database. */
export function indexerHealthRoute(sources: HealthSources): Route {
  return resourceRoute(serviceHealth, async (_, isOperator) => {
    const { health, databaseCause: cause } = await readHealth(sources)
    const body: IndexerHealth | OperatorHealth = isOperator
      ? { ...health, details: [...new Set([...(cause === null ? [] : [cause.full]), ...(sources.indexer.state().details ?? [])])] }
      : health
    return health.status === 'stalled' ? jsonAnswer(body, [RETRY_AFTER], '503 Service Unavailable') : jsonAnswer(body)
  })
}

export function healthzRoute(): Route {
  return resourceRoute(alive, async () => jsonAnswer({ status: 'ok' }))
}

/** The readiness of an instance. Load balancers should avoid one that stalls or catches up, since it has older answers than others. */
export function readyzRoute({ indexer, feed, probeDatabase }: Pick<Sources, 'indexer' | 'feed' | 'probeDatabase'>): Route {
  return resourceRoute(ready, async () => {
    const { cause } = await probeDatabase()
    const { status, reasons } = healthStatus({
      database: cause?.shown ?? null,
      indexer: indexer.state(),
      price: null,
      pooled: null,
      feed: feed(),
    })
    switch (status) {
      case 'ok':
      case 'degraded':
        return jsonAnswer({ status: 'ready' })
      case 'syncing':
        return unavailable('data_unavailable', 'the index is catching up with the chain')
      case 'stalled':
        return unavailable('data_unavailable', reasons.join('; '))
    }
  })
}
