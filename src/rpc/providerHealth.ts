import type { RpcHealth } from '#domain/health.ts'
import type { RpcFault } from './rpcFault.ts'

/** What is known of one provider. Every change makes a new one; times are the clock's milliseconds. */
export interface ProviderHealth {
  readonly name: string
  /** Whether it serves the expected chain; `unknown` until it has said so. */
  readonly chain: 'unknown' | 'right' | 'wrong'
  readonly consecutiveFailures: number
  readonly lastFailureAtMs: number | null
  readonly lastAnswerAtMs: number | null
  /** Not preferred before this time, after failures. */
  readonly backOffUntilMs: number
  /** Not asked at all before this time, because it said so. */
  readonly silentUntilMs: number
  /** Moving average. */
  readonly latencyMs: number | null
  /** Moving share of failed calls, 0 to 1. */
  readonly errorRate: number
  /** The head that it showed last: the block's time in Unix seconds, and when it was shown. */
  readonly head: { readonly timestamp: number; readonly seenAtMs: number } | null
  /** Its head is far older than another provider's. */
  readonly behind: boolean
}

/** So many failures in a row and it is asked nothing but "are you back?" while another one works. */
export const UNHEALTHY_AFTER = 3
/** A head this much older than another provider's is no longer the chain's head. */
const BEHIND_SECONDS = 60

const LATENCY_WEIGHT = 0.2
const ERROR_WEIGHT = 0.1
const BACK_OFF_FIRST_MS = 250
const BACK_OFF_MOST_MS = 30_000
const SILENT_DEFAULT_MS = 1_000
const SILENT_MOST_MS = 300_000

export function unknownProvider(name: string): ProviderHealth {
  return {
    name,
    chain: 'unknown',
    consecutiveFailures: 0,
    lastFailureAtMs: null,
    lastAnswerAtMs: null,
    backOffUntilMs: 0,
    silentUntilMs: 0,
    latencyMs: null,
    errorRate: 0,
    head: null,
    behind: false,
  }
}

/** When a question was asked and when its outcome was known. */
export interface Span {
  readonly startedAtMs: number
  readonly nowMs: number
}

/** After an answer that was believed. */
export function afterAnswer(health: ProviderHealth, { startedAtMs, nowMs }: Span): ProviderHealth {
  const latency = nowMs - startedAtMs
  const recovered = health.lastFailureAtMs === null || startedAtMs >= health.lastFailureAtMs
  return {
    ...health,
    latencyMs: health.latencyMs === null ? latency : health.latencyMs + LATENCY_WEIGHT * (latency - health.latencyMs),
    errorRate: health.errorRate * (1 - ERROR_WEIGHT),
    lastAnswerAtMs: nowMs,
    // An answer to an older question says nothing about what failed since.
    ...(recovered ? { consecutiveFailures: 0, backOffUntilMs: 0 } : {}),
  }
}

/**
 * After a fault. Questions that were under way together count as one failure in a row, or a single reset of a connection
 * that carried ten calls would set a provider aside.
 *
 * @param random 0 to 1, spreads the back-off
 */
export function afterFault(health: ProviderHealth, fault: RpcFault, { startedAtMs, nowMs }: Span, random: number): ProviderHealth {
  if (!countsAgainst(fault)) return { ...health, lastAnswerAtMs: nowMs }
  const another = health.lastFailureAtMs === null || startedAtMs >= health.lastFailureAtMs
  const consecutiveFailures = health.consecutiveFailures + (another ? failuresOf(fault) : 0)
  const backOff = Math.min(BACK_OFF_MOST_MS, BACK_OFF_FIRST_MS * 2 ** Math.max(0, consecutiveFailures - 1))
  const failed: ProviderHealth = {
    ...health,
    consecutiveFailures,
    lastFailureAtMs: nowMs,
    errorRate: health.errorRate + ERROR_WEIGHT * (1 - health.errorRate),
    backOffUntilMs: Math.max(health.backOffUntilMs, nowMs + backOff * (0.5 + random / 2)),
  }
  switch (fault.kind) {
    case 'rate-limited': {
      const silence = Math.min(fault.retryAfterMs ?? Math.max(SILENT_DEFAULT_MS, backOff), SILENT_MOST_MS)
      return { ...failed, lastAnswerAtMs: nowMs, silentUntilMs: Math.max(health.silentUntilMs, nowMs + silence) }
    }
    case 'wrong-chain':
      return { ...failed, chain: 'wrong', backOffUntilMs: nowMs + BACK_OFF_MOST_MS }
    default:
      return failed
  }
}

/** Whether a fault says something about the provider rather than about the question. */
function countsAgainst(fault: RpcFault): boolean {
  switch (fault.kind) {
    case 'too-large':
    case 'rejected':
    case 'batch-too-large':
    case 'closed':
      return false
    default:
      return true
  }
}

/** A time-out has cost whoever asked as much as many quick failures would. */
function failuresOf(fault: RpcFault): number {
  return fault.kind === 'timeout' ? 2 : 1
}

/**
 * Marks the providers whose head is far older than another one's. They are looked at at different times: one that was looked at earlier is
 * not behind for having shown an earlier head then, nor one that was looked at later for showing the same head of a chain that stands still.
 */
export function markBehind(all: readonly ProviderHealth[]): readonly ProviderHealth[] {
  const heads = all.flatMap(({ chain, head }) => (chain === 'right' && head !== null ? [head] : []))
  const newest = Math.max(...heads.map(({ timestamp }) => timestamp))
  const freshest = Math.max(...heads.map(freshness))
  return all.map(health => {
    const { head } = health
    const behind = head !== null && Math.min(newest - head.timestamp, freshest - freshness(head)) > BEHIND_SECONDS
    return behind === health.behind ? health : { ...health, behind }
  })
}

/** How old a head was when it was shown, negated, in seconds and up to a constant. */
function freshness({ timestamp, seenAtMs }: { readonly timestamp: number; readonly seenAtMs: number }): number {
  return timestamp - seenAtMs / 1_000
}

/** Whether it may be asked in its turn. */
export function isUsable(health: ProviderHealth, nowMs: number): boolean {
  return isHealthy(health, nowMs) && nowMs >= health.backOffUntilMs
}

/** Whether what is known speaks for it; a provider that has said nothing yet has the benefit of the doubt until it fails. */
export function isHealthy(health: ProviderHealth, nowMs: number): boolean {
  const failuresAllowed = health.chain === 'right' ? UNHEALTHY_AFTER - 1 : 0
  return health.chain !== 'wrong' && !health.behind && health.consecutiveFailures <= failuresAllowed && nowMs >= health.silentUntilMs
}

/** A silence that ends so soon is everyday life with a rate limit. */
const SHORT_SILENCE_MS = 10_000

/** As operators see it. A provider that has never answered is not healthy; one that asked for a short silence is. */
export function toRpcHealth(health: ProviderHealth, nowMs: number): RpcHealth {
  return {
    name: health.name,
    healthy: health.chain === 'right' && isHealthy(health, nowMs + SHORT_SILENCE_MS),
    latencyMs: health.latencyMs === null ? null : Math.round(health.latencyMs * 10) / 10,
    errorRate: Math.round(health.errorRate * 1_000) / 1_000,
  }
}
