import type { LogLimit } from './logLimit.ts'
import { afterAllowed, afterTooLarge, half, type SizeLimit, shrunkTo, unlimitedUpTo } from './sizeLimit.ts'

/**
 * How much a provider is asked for at a time, learned from its answers and refusals: additive growth, halving. Every change makes a new
 * value; times are the clock's milliseconds.
 */
export interface Limits {
  /** Requests in flight at most; infinite while none was refused. */
  readonly concurrency: number
  /** Calls per request. */
  readonly calls: SizeLimit
  /** Blocks per log query. */
  readonly blocks: SizeLimit
  /** Addresses, or topics of one position, per log query. */
  readonly addresses: SizeLimit
  /** Until then every log query names addresses: the provider refused one that named none. */
  readonly addressRequiredUntilMs: number
  /** Until then the provider gets no request: it asked for that. */
  readonly silentUntilMs: number
  readonly refusedAtMs: number
  readonly refusalsInARow: number
}

/**
 * Calls that belong together: they go into one request where the provider allows it, and are sent again together when one of them is
 * refused.
 */
export const TOGETHER_CALLS = 4

const MAX_CALLS = 100
/** No provider answers more blocks in one query, and the failure of a larger query would cost a long wait. */
const MAX_BLOCKS = 100_000
/** geth refuses more addresses, and more topics of one position. */
const MAX_ADDRESSES = 1_000
/** By how much `concurrency` grows after as many answers as it allows requests. */
const CONCURRENCY_GROWTH = 1 / 4
/** From this `concurrency` on, the number of requests in flight is not limited. */
const UNLIMITED_CONCURRENCY = 32
/** The pause after a refusal that names none: after the first one, and after many in a row. */
const FIRST_BACKOFF_MS = 1_000
const MAX_BACKOFF_MS = 30_000
/** A provider is left in silence for no longer: its header may ask for a day. */
export const MAX_SILENCE_MS = 300_000
/** The longest wait for a provider that asked for silence; callers have longer waits of their own. */
export const MAX_SILENCE_WAIT_MS = 30_000
const ADDRESS_REQUIRED_MS = 600_000

export const UNLIMITED: Limits = {
  concurrency: Number.POSITIVE_INFINITY,
  calls: unlimitedUpTo(MAX_CALLS, 1.01),
  blocks: unlimitedUpTo(MAX_BLOCKS, 1.5),
  addresses: unlimitedUpTo(MAX_ADDRESSES, 1.5),
  addressRequiredUntilMs: 0,
  silentUntilMs: 0,
  refusedAtMs: 0,
  refusalsInARow: 0,
}

/** A request that was answered in full. */
interface AnsweredRequest {
  readonly calls: number
  readonly sentAtMs: number
}

export function afterAnswer(limits: Limits, { calls, sentAtMs }: AnsweredRequest): Limits {
  const concurrency = limits.concurrency + CONCURRENCY_GROWTH / limits.concurrency
  return {
    ...limits,
    concurrency: concurrency >= UNLIMITED_CONCURRENCY ? Number.POSITIVE_INFINITY : concurrency,
    calls: afterAllowed(limits.calls, calls),
    // An older request says nothing about what was refused since.
    refusalsInARow: sentAtMs <= limits.refusedAtMs ? limits.refusalsInARow : 0,
  }
}

/** A request of which the provider answered the first calls, or none, and refused the rest for coming too fast. */
export interface RefusedRequest {
  readonly calls: number
  readonly answered: number
  /** Requests in flight when it was refused, this one among them. */
  readonly inFlight: number
  readonly sentAtMs: number
  readonly nowMs: number
  /** As the provider says; `null`: it does not. */
  readonly retryAfterMs: number | null
}

/**
 * Cases:
 * 1. the request was sent before the last refusal: both are the same refusal, and only the longer silence counts
 * 2. some of its calls were answered: the provider counts calls, and allows this many at a time
 * 3. none were, twice in a row, with a silence in between: the request may be too large
 * 4. none were: the provider counts requests, so splitting this one into several would be worse
 */
export function afterRefusal(limits: Limits, refused: RefusedRequest): Limits {
  const { calls, answered, nowMs, retryAfterMs } = refused
  const silentFor = (ms: number) => Math.max(limits.silentUntilMs, nowMs + Math.min(ms, MAX_SILENCE_MS))
  if (refused.sentAtMs <= limits.refusedAtMs) return { ...limits, silentUntilMs: silentFor(retryAfterMs ?? 0) }
  const refusalsInARow = answered > 0 ? 1 : limits.refusalsInARow + 1
  const fitting = answered > 0 ? answered : refusalsInARow > 1 ? half(calls) : limits.calls.size
  return {
    ...limits,
    concurrency: half(Math.min(limits.concurrency, refused.inFlight)),
    calls: shrunkTo(limits.calls, Math.max(TOGETHER_CALLS, fitting)),
    silentUntilMs: silentFor(retryAfterMs ?? Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (refusalsInARow - 1))),
    refusedAtMs: nowMs,
    refusalsInARow,
  }
}

/** After a log query was refused as if it came too fast, while a smaller one was answered: it may have been either. */
export function afterDoubtfulRefusal(limits: Limits, inFlight: number): Limits {
  return { ...limits, concurrency: half(Math.min(limits.concurrency, inFlight)) }
}

/** After a request was refused for holding too many calls. */
export function afterTooManyCalls(limits: Limits, calls: number): Limits {
  return { ...limits, calls: afterTooLarge(limits.calls, calls, null) }
}

/** A query of logs: how many blocks it spans, and how many addresses, or topics of one position, it names at most. */
export interface LogQuerySize {
  readonly blocks: number
  /** 0: it names no addresses. */
  readonly addresses: number
}

export function afterLogsAnswer(limits: Limits, { blocks, addresses }: LogQuerySize): Limits {
  return { ...limits, blocks: afterAllowed(limits.blocks, blocks), addresses: afterAllowed(limits.addresses, addresses) }
}

/** Why a log query has to be smaller. `cut`: the answer may lack logs. `hint`: a size that the provider's words suggest. */
export interface LogRefusal {
  readonly limit: LogLimit | 'cut'
  readonly hint: number | null
}

export function afterLogsRefusal(limits: Limits, { blocks, addresses }: LogQuerySize, { limit, hint }: LogRefusal, nowMs: number): Limits {
  switch (limit) {
    case 'blocks':
      return { ...limits, blocks: afterTooLarge(limits.blocks, blocks, hint) }
    case 'cut':
      return { ...limits, blocks: shrunkTo(limits.blocks, half(blocks)) }
    case 'addresses':
      return { ...limits, addresses: afterTooLarge(limits.addresses, addresses, hint) }
    case 'address-required':
      return { ...limits, addressRequiredUntilMs: nowMs + ADDRESS_REQUIRED_MS }
  }
}
