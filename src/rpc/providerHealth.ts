import type { RpcHealth } from '#resources/health.ts'
import type { Limits } from './limits.ts'
import { faultKindSentence, faultSentence, type RpcFault } from './rpcFault.ts'

/** Whether a provider can be believed and preferred. Every change makes a new value; times are the clock's milliseconds. */
export interface ProviderHealth {
  /** Whether it serves the expected chain; `unknown` until it has said so. */
  readonly chain: 'unknown' | 'right' | 'wrong'
  readonly consecutiveFailures: number
  readonly lastFailureAtMs: number | null
  readonly lastFault: RpcFault | null
  readonly lastAnswerAtMs: number | null
  /** Moving average. */
  readonly latencyMs: number | null
  /** Moving share of failures, 0 to 1. */
  readonly errorRate: number
  /** The head that it showed last: the block's time in Unix seconds, and when it was shown. */
  readonly head: { readonly timestamp: number; readonly seenAtMs: number } | null
  /** Its head is far older than another provider's. */
  readonly behind: boolean
}

/** The facts by which a provider is chosen. */
export interface ProviderState {
  /** `rpc-1` … in the order of `RPC_URLS`. */
  readonly name: string
  readonly health: ProviderHealth
  readonly limits: Limits
}

/** After this many failures in a row a provider is only probed while another one works. */
const UNHEALTHY_AFTER = 3
/** A head this much older than another provider's is no longer the chain's head. */
const BEHIND_SECONDS = 60

const LATENCY_WEIGHT = 0.2
const ERROR_WEIGHT = 0.1
const FIRST_BACKOFF_MS = 250
const MAX_BACKOFF_MS = 30_000

export const UNKNOWN_PROVIDER: ProviderHealth = {
  chain: 'unknown',
  consecutiveFailures: 0,
  lastFailureAtMs: null,
  lastFault: null,
  lastAnswerAtMs: null,
  latencyMs: null,
  errorRate: 0,
  head: null,
  behind: false,
}

/** When a request was sent and when its outcome was known. */
export interface RequestTimes {
  readonly sentAtMs: number
  readonly nowMs: number
}

/** After a request was answered; whether the answer is believed shows later. */
export function afterResponse(health: ProviderHealth, { sentAtMs, nowMs }: RequestTimes): ProviderHealth {
  const latency = nowMs - sentAtMs
  return {
    ...health,
    latencyMs: health.latencyMs === null ? latency : health.latencyMs + LATENCY_WEIGHT * (latency - health.latencyMs),
    lastAnswerAtMs: nowMs,
  }
}

/** After an answer was believed; `sentAtMs` is of its last request. */
export function afterBelieved(health: ProviderHealth, sentAtMs: number): ProviderHealth {
  // An answer to an older request says nothing about what failed since.
  const recovered = health.lastFailureAtMs === null || sentAtMs >= health.lastFailureAtMs
  return {
    ...health,
    errorRate: health.errorRate * (1 - ERROR_WEIGHT),
    consecutiveFailures: recovered ? 0 : health.consecutiveFailures,
  }
}

/**
 * After a fault. Requests in flight at the same time count as one failure in a row: one reset of a connection that carried ten requests
 * must not set a provider aside.
 */
export function afterFault(health: ProviderHealth, fault: RpcFault, { sentAtMs, nowMs }: RequestTimes): ProviderHealth {
  if (!countsAgainst(fault)) return { ...health, lastAnswerAtMs: nowMs }
  const isAnother = health.lastFailureAtMs === null || sentAtMs >= health.lastFailureAtMs
  return {
    ...health,
    chain: fault.kind === 'wrong-chain' ? 'wrong' : health.chain,
    consecutiveFailures: health.consecutiveFailures + (isAnother ? failuresOf(fault) : 0),
    lastFailureAtMs: nowMs,
    lastFault: fault,
    lastAnswerAtMs: fault.kind === 'rate-limited' ? nowMs : health.lastAnswerAtMs,
    errorRate: health.errorRate + ERROR_WEIGHT * (1 - health.errorRate),
  }
}

const MIN_SLOW_MS = 500
const MAX_SLOW_MS = 1_000
const SLOW_LATENCIES = 4

/** After this time without any answer a provider that is asked something urgent is slow. */
export function slowAfterMs({ latencyMs }: ProviderHealth): number {
  return Math.max(MIN_SLOW_MS, Math.min(MAX_SLOW_MS, (latencyMs ?? 0) * SLOW_LATENCIES))
}

/** Whether a fault says something about the provider rather than about the question. */
function countsAgainst(fault: RpcFault): boolean {
  switch (fault.kind) {
    case 'too-large':
    case 'rejected':
    case 'closed':
      return false
    default:
      return true
  }
}

/** A timeout counts as two failures, since it costs more time than a quick one. */
function failuresOf(fault: RpcFault): number {
  return fault.kind === 'timeout' ? 2 : 1
}

/** Until then other providers are preferred, after failures; 0: there were none. */
export function backOffUntilMs({ chain, consecutiveFailures, lastFailureAtMs }: ProviderHealth): number {
  if (lastFailureAtMs === null || consecutiveFailures === 0) return 0
  if (chain === 'wrong') return lastFailureAtMs + MAX_BACKOFF_MS
  return lastFailureAtMs + Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (consecutiveFailures - 1))
}

/**
 * For each provider, in order, whether its head is far older than another provider's. Providers show their heads at different times: a
 * provider is not behind because it was asked earlier, nor because it was asked later and shows the same head of a chain that stands still.
 */
export function areBehind(all: readonly ProviderHealth[]): readonly boolean[] {
  const heads = all.flatMap(({ chain, head }) => (chain === 'right' && head !== null ? [head] : []))
  const newest = Math.max(...heads.map(({ timestamp }) => timestamp))
  const freshest = Math.max(...heads.map(freshness))
  return all.map(({ head }) => head !== null && Math.min(newest - head.timestamp, freshest - freshness(head)) > BEHIND_SECONDS)
}

/** How old a head was when it was shown, negated, in seconds and up to a constant. */
function freshness({ timestamp, seenAtMs }: { readonly timestamp: number; readonly seenAtMs: number }): number {
  return timestamp - seenAtMs / 1_000
}

/** Whether it may be asked in its turn. */
export function isUsable(provider: ProviderState, nowMs: number): boolean {
  return isHealthy(provider, nowMs) && nowMs >= backOffUntilMs(provider.health)
}

/** Whether nothing is known against the provider. One that was never asked is healthy until it fails. */
export function isHealthy({ health, limits }: Pick<ProviderState, 'health' | 'limits'>, nowMs: number): boolean {
  const failuresAllowed = health.chain === 'right' ? UNHEALTHY_AFTER - 1 : 0
  return health.chain !== 'wrong' && !health.behind && health.consecutiveFailures <= failuresAllowed && nowMs >= limits.silentUntilMs
}

/** Whether its answers are compared with those of others: also when it is set aside for contradicting them, since it may be right. */
export function isComparable(provider: Pick<ProviderState, 'health' | 'limits'>, nowMs: number): boolean {
  const { chain, behind, lastFault } = provider.health
  const contradicts = chain === 'right' && !behind && lastFault?.kind === 'inconsistent' && nowMs >= provider.limits.silentUntilMs
  return contradicts || isHealthy(provider, nowMs)
}

/** A silence this short is usual with a rate limit. */
const SHORT_SILENCE_MS = 10_000

/** As operators see it. A provider that has never answered is not healthy; one that asked for a short silence is. */
export function toRpcHealth({ name, health, limits }: ProviderState, nowMs: number): RpcHealth {
  const { latencyMs, errorRate } = health
  const { concurrency, calls, blocks, silentUntilMs } = limits
  const healthy = health.chain === 'right' && isHealthy({ health, limits }, nowMs + SHORT_SILENCE_MS) && !isKeptSilent(limits)
  return {
    name,
    healthy,
    cause: healthy ? null : causeOfIllHealth(health, faultKindSentence),
    latencyMs: latencyMs === null ? null : Math.round(latencyMs * 10) / 10,
    errorRate: Math.round(errorRate * 1_000) / 1_000,
    concurrency: Number.isFinite(concurrency) ? Math.floor(concurrency) : null,
    batchSize: calls.size,
    rangeBlocks: blocks.size,
    silentSeconds: silentUntilMs > nowMs ? Math.ceil((silentUntilMs - nowMs) / 1_000) : null,
  }
}

/**
 * Whether it asked for a long silence and has answered nothing since. The end of the silence alone does not make the provider healthy: if
 * it answers nothing but such requests for silence, its health would go back and forth.
 */
function isKeptSilent({ refusalsInARow, refusedAtMs, silentUntilMs }: ProviderState['limits']): boolean {
  return refusalsInARow > 0 && silentUntilMs - refusedAtMs > SHORT_SILENCE_MS
}

/** Why it is not healthy, with what it said; `null`: it is. */
export function troubleOf(provider: ProviderState, nowMs: number): string | null {
  return toRpcHealth(provider, nowMs).healthy ? null : `${provider.name}: ${causeOfIllHealth(provider.health, faultSentence)}`
}

function causeOfIllHealth({ behind, lastFault }: ProviderHealth, words: (fault: RpcFault) => string): string {
  if (behind) return 'its newest block is far older than that of another provider'
  return lastFault === null ? 'it has not answered yet' : words(lastFault)
}
