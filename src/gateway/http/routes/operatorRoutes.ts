import { type HealthSources, healthStatus, readHealth } from '#gateway/health/readHealth.ts'
import { jsonAnswer } from '#gateway/http/answer.ts'
import { problem, RETRY_AFTER, unavailable } from '#gateway/http/problem.ts'
import { type Route, resourceRoute } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { actor, actors as actorList } from '#resources/actors.ts'
import { alive, processes as processList, ready, serviceHealth, usage } from '#resources/health.ts'

export function actorRoutes({ actors }: Pick<Sources, 'actors'>): readonly Route[] {
  return [
    resourceRoute(actorList, async query => jsonAnswer({ data: actors.list(query), nextCursor: null })),
    resourceRoute(actor, async ({ address }) => {
      const state = actors.get(address)
      return state === null ? problem(404, 'not_found', `${address} has no actor: it has no subscriber`) : jsonAnswer(state)
    }),
  ]
}

/** Answers even when the database or the indexer fails. Operators get the full messages of providers and the database. */
export function indexerHealthRoute(sources: HealthSources): Route {
  return resourceRoute(serviceHealth, async (_, isOperator) => {
    const { health, databaseCause: cause } = await readHealth(sources)
    const body = isOperator
      ? { ...health, details: [...new Set([...(cause === null ? [] : [cause.full]), ...sources.indexer.state().details])] }
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

export function processesRoute({ processes }: Pick<Sources, 'processes'>): Route {
  return resourceRoute(processList, async () => jsonAnswer({ data: processes(), nextCursor: null }))
}

/** The usage of keys. Operators see all keys, other clients the key that they send. */
export function usageRoute(sources: Pick<Sources, 'admission'>): Route {
  return resourceRoute(usage, async (_, isOperator, { client }) => {
    const { keys } = sources.admission
    const shown = isOperator ? keys.all() : client.key === null ? null : [client.key]
    if (shown === null) return problem(401, 'unauthorized', 'send an API key as X-Api-Key, or the operator token')
    return jsonAnswer({ data: shown.map(key => key.usage()), nextCursor: null })
  })
}
