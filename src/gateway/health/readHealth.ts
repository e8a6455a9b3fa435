import type { Sources } from '#gateway/http/sources.ts'
import type { IndexerHealth } from '#resources/health.ts'
import type { DatabaseCause } from '#resources/indexerState.ts'
import { healthStatus } from './healthStatus.ts'
import { launchpadProgress } from './launchpadProgress.ts'

export type HealthSources = Pick<
  Sources,
  'config' | 'indexer' | 'feed' | 'ethUsd' | 'actors' | 'realtime' | 'probeDatabase' | 'chainId' | 'version' | 'now'
>

/** Health of the process, and why the database fails. */
export async function readHealth(
  sources: HealthSources,
): Promise<{ readonly health: IndexerHealth; readonly databaseCause: DatabaseCause | null }> {
  const { indexer, ethUsd, actors, realtime, chainId, version, now } = sources
  const { cause, ...database } = await sources.probeDatabase()
  const state = indexer.state()
  const feed = sources.feed()
  const { status, reasons } = healthStatus({
    database: cause?.shown ?? null,
    indexer: state,
    price: ethUsd.last(),
    pooled: ethUsd.pooled(),
    feed,
  })
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
    launchpads: launchpadProgress(sources.config, state),
    reorgs: state.reorgs,
    rpc: state.rpc,
    database,
    actors: actors.health(),
    realtime: realtime.health(),
    feed,
    reasons,
    warnings: state.warnings ?? [],
  }
  return { health, databaseCause: cause }
}

function blockText(block: number | null): string | null {
  return block === null ? null : String(block)
}
