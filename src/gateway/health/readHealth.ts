import type { Logger } from 'pino'
import type { Config } from '#config'
import type { DatabaseCondition, DatabaseProbe, Sources } from '#gateway/http/sources.ts'
import type { LastEthUsd } from '#resources/ethUsd.ts'
import type { DatabaseCause, FeedHealth, IndexerHealth, IndexerState, LaunchpadProgress, ServiceStatus } from '#resources/health.ts'

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
    warnings: state.warnings,
  }
  return { health, databaseCause: cause }
}

function blockText(block: number | null): string | null {
  return block === null ? null : String(block)
}

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
    ...indexer.problems,
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

/** How far the launchpads of the index are indexed, and those that are yet to join it. */
export function launchpadProgress(
  { launchpads: { launchpads: inForce } }: Pick<Config, 'launchpads'>,
  { launchpads, indexedBlock, lagBlocks }: Pick<IndexerState, 'launchpads' | 'indexedBlock' | 'lagBlocks'>,
): readonly LaunchpadProgress[] {
  const changing = new Map(launchpads.map(one => [one.name, one]))
  const ofIndex = {
    indexedBlock: indexedBlock === null ? null : String(indexedBlock),
    blocksLeft: lagBlocks,
    eventsPerSecond: null,
    secondsLeft: null,
  }
  const names = new Set(inForce.map(({ name }) => name))
  return [
    ...inForce.map(({ name }) => changing.get(name) ?? { name, state: 'joined' as const, ...ofIndex }),
    ...launchpads.filter(({ name }) => !names.has(name)),
  ]
}

/** The time after which a probe has failed: a health check must not wait as long as a query may. */
const PROBE_TIMEOUT_MS = 2_000

/** How long a result is shared, because the routes that probe are not rate limited. */
const PROBE_LIFETIME_MS = 500

export interface DatabaseProbeOptions {
  readonly ping: () => Promise<number>
  readonly now: () => number
  /** Logs when the database fails and when it is back. */
  readonly logger: Logger
  /** Why the database has failed, by an error; `null`: the error does not show it. */
  readonly causeOf: (error: unknown) => DatabaseCause | null
  /** Removes secrets from the database's messages. */
  readonly redact: (text: string) => string
}

export function createDatabaseProbe({ ping, now, logger, causeOf, redact }: DatabaseProbeOptions): DatabaseProbe {
  let last: { readonly condition: Promise<DatabaseCondition>; readonly at: number } | null = null
  let reported: string | null = null
  const explain = (error: unknown): DatabaseCause => {
    const { shown, full } = causeOf(error) ?? UNKNOWN
    return { shown, full: redact(full) }
  }

  const report = (condition: DatabaseCondition): DatabaseCondition => {
    const shown = condition.cause?.shown ?? null
    if (shown !== null && shown !== reported) logger.warn({ cause: condition.cause?.full }, 'the database can not be used')
    if (shown === null && reported !== null) logger.info('the database can be used again')
    reported = shown
    return condition
  }
  return () => {
    if (last === null || now() - last.at > PROBE_LIFETIME_MS) last = { condition: probe(ping, explain).then(report), at: now() }
    return last.condition
  }
}

const TOO_SLOW = Object.assign(new Error(`no answer within ${PROBE_TIMEOUT_MS / 1_000} s`), { code: 'ETIMEDOUT' })

async function probe(ping: () => Promise<number>, explain: (error: unknown) => DatabaseCause): Promise<DatabaseCondition> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(TOO_SLOW), PROBE_TIMEOUT_MS)
  try {
    const latencyMs = await Promise.race([ping(), late.promise])
    return { ok: true, latencyMs: Math.round(latencyMs * 1_000) / 1_000, cause: null }
  } catch (error) {
    return { ok: false, latencyMs: null, cause: explain(error) }
  } finally {
    clearTimeout(timer)
  }
}

const UNKNOWN: DatabaseCause = { shown: 'the database does not answer', full: 'the database does not answer; the log has the error' }
