import type { LastEthUsd } from '#resources/ethUsd.ts'
import type { FeedHealth, ServiceStatus } from '#resources/health.ts'
import type { IndexerState } from '#resources/indexerState.ts'

/** An index that is further behind the confirmed head counts as catching up. */
export const SYNCING_LAG_BLOCKS = 30
/** The prices of pools and of providers differ by a percent in a busy hour. A pool, a peg or a provider is wrong if they differ by more. */
const MAX_POOL_PERCENT = 3
/** A restart of NATS, or of the connection for notifications, takes less time. */
const MAX_DISCONNECTED_MS = 5_000
const CARRIERS = { thread: 'from the indexing thread', notify: "by the database's notifications", nats: 'over NATS' } as const

export interface Condition {
  /** Why the database can't be used; `null`: it can. */
  readonly database: string | null
  readonly indexer: Pick<IndexerState, 'indexedBlock' | 'lagBlocks' | 'backfill' | 'rpc' | 'stalled' | 'reason' | 'problems'>
  readonly price: LastEthUsd | null
  /** USD per ETH by the configured pools, as of the newest indexed block; `null`: not known. */
  readonly pooled: string | null
  readonly feed: Pick<FeedHealth, 'carrier' | 'disconnectedMs' | 'replica'>
}

export interface HealthStatus {
  readonly status: ServiceStatus
  /** All that is broken, even if it does not decide the status. */
  readonly reasons: readonly string[]
}

/**
 * The status of the whole service; the first that applies:
 *
 * 1. `stalled`: the database does not answer, or nothing is indexed though the chain moves. Answers are missing or outdated.
 * 2. `syncing`: the index is catching up with the chain. Answers are correct as of an earlier block.
 * 3. `degraded`: answers are current, but an RPC provider fails, an edited `launchpads.json` can't be applied, commits do not arrive, so
 *    that updates are late, the replica is not used, the ETH/USD price is an earlier one, or two providers, or a provider and the
 *    configured pools, disagree on it. A service that never had a price is not degraded: it may run without internet access.
 * 4. `ok`.
 */
export function healthStatus({ database, indexer, price, pooled, feed }: Condition): HealthStatus {
  const failing = indexer.rpc.filter(provider => !provider.healthy)
  const isCurrent = indexer.indexedBlock !== null && indexer.backfill === null && (indexer.lagBlocks ?? 0) <= SYNCING_LAG_BLOCKS
  const reason = indexer.reason ?? (indexer.stalled ? 'nothing is indexed though the chain moves' : null)
  // An indexer that a failing provider or database holds up often has the same reason.
  const isSaid = reason === null || reason === database || failing.some(({ name, cause }) => reason === `${name}: ${cause}`)
  const reasons = [
    ...(database === null ? [] : [database]),
    ...(isSaid ? [] : [reason]),
    ...(indexer.problems ?? []),
    ...failing.map(({ name, cause }) => (cause === null ? `${name} fails` : `${name} fails: ${cause}`)),
    ...(database === null && feed.disconnectedMs > MAX_DISCONNECTED_MS ? [carrierReason(feed)] : []),
    ...(feed.replica?.inUse === false ? ['the replica is behind or away; reads go to the primary'] : []),
    ...(price?.stale === true ? [`no provider gives an ETH/USD price; the last one is ${Math.round(price.ageSeconds)} s old`] : []),
    ...(price?.disputed ? [disputeReason(price, price.disputed)] : []),
    // An index that is behind has the price of an earlier time.
    ...(isCurrent && pooled !== null && price?.stale === false && isFarApart(price.price, pooled) ? [poolReason(price, pooled)] : []),
  ]
  if (database !== null || indexer.stalled) return { status: 'stalled', reasons }
  if (!isCurrent) return { status: 'syncing', reasons }
  return { status: reasons.length > 0 ? 'degraded' : 'ok', reasons }
}

function disputeReason(shown: LastEthUsd, other: NonNullable<LastEthUsd['disputed']>): string {
  const percent = Math.round(percentApart(shown.price, other.price))
  return `the ETH/USD prices of ${shown.source} and ${other.source} are ${percent} % apart: ${shown.price} and ${other.price}`
}

const isFarApart = (provided: string, pooled: string) => percentApart(provided, pooled) > MAX_POOL_PERCENT

function poolReason({ source, price }: LastEthUsd, pooled: string): string {
  const percent = Math.round(percentApart(price, pooled))
  return `the ETH/USD prices of ${source} and of the configured pools are ${percent} % apart: ${price} and ${Number(pooled).toFixed(2)}`
}

const percentApart = (price: string, other: string) => Math.abs(Number(other) / Number(price) - 1) * 100

function carrierReason({ carrier, disconnectedMs }: Condition['feed']): string {
  return `no commits have come ${CARRIERS[carrier]} for ${Math.floor(disconnectedMs / 1_000)} s`
}
