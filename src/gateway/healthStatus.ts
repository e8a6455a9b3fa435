import type { EthUsd } from '#domain/ethUsd.ts'
import type { IndexerState, ServiceStatus } from '#domain/health.ts'

/** Further behind the confirmed head than this, the index catches up instead of following. */
const SYNCING_LAG_BLOCKS = 30

export interface Condition {
  readonly databaseOk: boolean
  readonly indexer: Pick<IndexerState, 'indexedBlock' | 'lagBlocks' | 'backfill' | 'rpc' | 'stalled' | 'reason'>
  readonly price: EthUsd | null
}

export interface HealthStatus {
  readonly status: ServiceStatus
  /** Everything that is broken, whichever part of it decided the status. */
  readonly reasons: readonly string[]
}

/**
 * One word for the whole service; the first that applies:
 *
 * 1. `stalled`: the database is away, or nothing is indexed though the chain moves. Answers are missing or get old.
 * 2. `syncing`: the index is behind the chain and catching up. Answers are true, but of an earlier block.
 * 3. `degraded`: answers are current, and something that they should not miss for long is broken: an RPC provider, or the ETH/USD
 *    price, which is then an earlier one. A price that never was is not broken: a machine without internet runs well without USD values.
 * 4. `ok`.
 */
export function healthStatus({ databaseOk, indexer, price }: Condition): HealthStatus {
  const reasons = [
    ...(databaseOk ? [] : ['the database does not answer']),
    ...(indexer.stalled || indexer.reason !== null ? [indexer.reason ?? 'nothing is indexed though the chain moves'] : []),
    ...indexer.rpc.filter(provider => !provider.healthy).map(provider => `${provider.name} fails`),
    ...(price?.stale === true ? [`no provider gives an ETH/USD price; the last one is ${Math.round(price.ageSeconds)} s old`] : []),
  ]
  if (!databaseOk || indexer.stalled) return { status: 'stalled', reasons }
  if (indexer.indexedBlock === null || indexer.backfill !== null || (indexer.lagBlocks ?? 0) > SYNCING_LAG_BLOCKS)
    return { status: 'syncing', reasons }
  return { status: reasons.length > 0 ? 'degraded' : 'ok', reasons }
}
