import type { IndexerHealth } from '#domain/health.ts'
import { jsonAnswer } from '#gateway/answer.ts'
import type { DatabaseCondition } from '#gateway/databaseProbe.ts'
import { healthStatus } from '#gateway/healthStatus.ts'
import { RETRY_AFTER, unavailable } from '#gateway/problem.ts'
import { type Route, resource } from '#gateway/route.ts'
import type { Sources } from '#gateway/sources.ts'

export type HealthSources = Pick<Sources, 'indexer' | 'ethUsd' | 'actors' | 'realtime' | 'chainId' | 'version' | 'now'> & {
  readonly probeDatabase: () => Promise<DatabaseCondition>
}

/** Answered whatever is broken, the database included: that is what it is for. */
export function indexerHealthRoute(sources: HealthSources): Route {
  return resource({ path: '/api/indexer/health', cacheControl: 'never' }, async () => {
    const { indexer, ethUsd, actors, realtime, chainId, version, now } = sources
    const database = await sources.probeDatabase()
    const state = indexer.state()
    const { status, reasons } = healthStatus({ databaseOk: database.ok, indexer: state, price: ethUsd.last() })
    const health: IndexerHealth = {
      status,
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
      actors: actors.health(),
      realtime: realtime.realtime(),
      reasons,
    }
    return status === 'stalled' ? jsonAnswer(health, [RETRY_AFTER], '503 Service Unavailable') : jsonAnswer(health)
  })
}

/** The process lives and answers. */
export function healthzRoute(): Route {
  return resource({ path: '/healthz', cacheControl: 'never', limited: false }, async () => jsonAnswer({ status: 'ok' }))
}

/**
 * Whether a balancer should send clients here: the process serves *current* data. Not while it stands still, and not while it
 * catches up either, since its answers are then of an earlier time than those of its neighbours.
 */
export function readyzRoute({ indexer, probeDatabase }: Pick<HealthSources, 'indexer' | 'probeDatabase'>): Route {
  return resource({ path: '/readyz', cacheControl: 'never', limited: false }, async () => {
    const { status, reasons } = healthStatus({ databaseOk: (await probeDatabase()).ok, indexer: indexer.state(), price: null })
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
