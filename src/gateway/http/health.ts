import type { IndexerHealth, OperatorHealth } from '#domain/health.ts'
import { jsonAnswer } from '#gateway/answer.ts'
import { healthStatus } from '#gateway/healthStatus.ts'
import { RETRY_AFTER, unavailable } from '#gateway/problem.ts'
import { type Route, type RouteDescription, resource } from '#gateway/route.ts'
import type { Sources } from '#gateway/sources.ts'
import { healthAnswerSchema, healthzSchema, readyzSchema } from '#protocol/schemas/operations.ts'

type HealthSources = Pick<
  Sources,
  'config' | 'indexer' | 'feed' | 'ethUsd' | 'actors' | 'realtime' | 'probeDatabase' | 'chainId' | 'version' | 'now'
>

const HEALTH: RouteDescription = {
  id: 'getHealth',
  tag: 'Health',
  summary: 'Health of the indexer; 503 when it is `stalled`. Operators get `details`',
  answer: healthAnswerSchema,
  alsoStatus: 503,
  problems: [],
}

const HEALTHZ: RouteDescription = {
  id: 'getAlive',
  tag: 'Health',
  summary: 'Whether the process lives',
  answer: healthzSchema,
  problems: [],
}

const READYZ: RouteDescription = {
  id: 'getReady',
  tag: 'Health',
  summary: 'Whether this instance serves current data',
  answer: readyzSchema,
  problems: ['data_unavailable'],
}

/** Answers also when the database or the indexer fails. Operators get the full text of what providers and the database said. */
export function indexerHealthRoute(sources: HealthSources): Route {
  return resource({ path: '/api/indexer/health', cacheControl: 'never', access: 'both', description: HEALTH }, async (_, isOperator) => {
    const { indexer, ethUsd, actors, realtime, chainId, version, now } = sources
    const { cause, ...database } = await sources.probeDatabase()
    const state = indexer.state()
    const feed = await sources.feed()
    const { status, reasons } = healthStatus({ database: cause?.shown ?? null, indexer: state, price: await ethUsd.last(), feed })
    const health: IndexerHealth = {
      status,
      role: sources.config.role,
      standby: indexer.isStandby?.() ?? false,
      version,
      uptimeSeconds: Math.floor(now() / 1_000),
      chainId,
      headBlock: blockText(state.headBlock),
      confirmedBlock: blockText(state.confirmedBlock),
      indexedBlock: blockText(state.indexedBlock),
      lagBlocks: state.lagBlocks,
      lagSeconds: state.lagSeconds,
      backfill: state.backfill,
      reorgs: state.reorgs,
      rpc: state.rpc,
      database,
      actors: await actors.health(),
      realtime: await realtime.health(),
      feed,
      reasons,
    }
    const body: IndexerHealth | OperatorHealth = isOperator
      ? { ...health, details: [...new Set([...(cause === null ? [] : [cause.full]), ...(state.details ?? [])])] }
      : health
    return status === 'stalled' ? jsonAnswer(body, [RETRY_AFTER], '503 Service Unavailable') : jsonAnswer(body)
  })
}

export function healthzRoute(): Route {
  return resource({ path: '/healthz', cacheControl: 'never', limited: false, description: HEALTHZ }, async () =>
    jsonAnswer({ status: 'ok' }),
  )
}

/** Readiness. An instance that stalls or catches up has older answers than others: load balancers should avoid it. */
export function readyzRoute({ indexer, feed, probeDatabase }: Pick<Sources, 'indexer' | 'feed' | 'probeDatabase'>): Route {
  return resource({ path: '/readyz', cacheControl: 'never', limited: false, description: READYZ }, async () => {
    const { cause } = await probeDatabase()
    const { status, reasons } = healthStatus({ database: cause?.shown ?? null, indexer: indexer.state(), price: null, feed: await feed() })
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

function blockText(block: number | null): string | null {
  return block === null ? null : String(block)
}
