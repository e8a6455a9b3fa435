import type { RpcCall } from './rpcEndpoint.ts'
import type { LogLimit, RpcFault } from './rpcFault.ts'

/**
 * The search for the largest size that a provider allows: the calls of a request, the blocks or the addresses of a log query. What it
 * refuses today it may allow tomorrow. So a limit that was found is tried again after some answers, and after twice as many each time it is
 * refused again. Every change makes a new value.
 */
export interface SizeLimit {
  /** The size to use next. */
  readonly size: number
  /** The largest size that was answered since a size was last refused. */
  readonly allowed: number
  /** The smallest size that was refused for being too large; infinite while none was. */
  readonly refused: number
  /** Never exceeded. */
  readonly most: number
  /** By which factor the size grows when it was answered in full. */
  readonly growth: number
  /** After this many answers of the found size a larger one is tried. */
  readonly patience: number
  /** Answers since the size was found or tried. */
  readonly answers: number
}

/** The search ends when the limit is known this closely: each further step costs a refused request. */
const SEARCH_ENDS_AT = 1 / 8
const FIRST_PATIENCE = 16
/** Bounds the cost of a limit that lasts to a few refused requests in 256. */
const MAX_PATIENCE = 256

export function unlimitedUpTo(most: number, growth: number): SizeLimit {
  return { size: most, allowed: 0, refused: Number.POSITIVE_INFINITY, most, growth, patience: FIRST_PATIENCE, answers: 0 }
}

export function afterAllowed(limit: SizeLimit, asked: number): SizeLimit {
  const { size, refused, most, growth, patience, answers } = limit
  // The limit is wider than it was.
  if (asked >= refused) return afterAllowed({ ...limit, refused: Number.POSITIVE_INFINITY, patience: FIRST_PATIENCE, answers: 0 }, asked)
  const allowed = Math.max(limit.allowed, asked)
  // A request that was smaller for another reason says nothing about the next size.
  if (asked < size) return { ...limit, allowed }
  const grown = Math.min(Math.ceil(asked * growth), most)
  if (grown < refused) return { ...limit, allowed, size: grown }
  if (refused - allowed > Math.max(1, refused * SEARCH_ENDS_AT)) return { ...limit, allowed, size: Math.floor((allowed + refused) / 2) }
  return answers + 1 < patience
    ? { ...limit, allowed, size: allowed, answers: answers + 1 }
    : { ...limit, allowed, size: grown, answers: 0 }
}

/** After a size was refused for being too large: a limit whose `size` is below `asked`, unless `asked` is 1. */
export function afterTooLarge(limit: SizeLimit, asked: number): SizeLimit {
  // A single block, address or call was too large.
  if (asked <= 1) return shrunkTo(limit, 1)
  const { most, growth, patience } = limit
  const allowed = limit.allowed < asked ? limit.allowed : 0
  const refused = Math.min(limit.refused, asked)
  const isTry = limit.size >= limit.refused && asked >= limit.size && allowed > 0
  if (isTry) return { ...limit, size: allowed, allowed, refused: allowed + 1, patience: Math.min(patience * 2, MAX_PATIENCE), answers: 0 }
  return { size: Math.max(half(asked), allowed), allowed, refused, most, growth, patience, answers: 0 }
}

/** After a refusal that may not last: a smaller size is used, which grows again with the answers. */
export function shrunkTo(limit: SizeLimit, size: number): SizeLimit {
  return { ...limit, size: Math.max(1, Math.min(limit.size, size)) }
}

function half(size: number): number {
  return Math.max(1, Math.floor(size / 2))
}

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

export const UNLIMITED: Limits = {
  concurrency: Number.POSITIVE_INFINITY,
  calls: unlimitedUpTo(MAX_CALLS, 1.01),
  blocks: unlimitedUpTo(MAX_BLOCKS, 1.5),
  addresses: unlimitedUpTo(MAX_ADDRESSES, 1.5),
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
  return { ...limits, calls: afterTooLarge(limits.calls, calls) }
}

/** A query of logs: how many blocks it spans, and how many addresses, or topics of one position, it names at most. */
export interface LogQuerySize {
  readonly blocks: number
  readonly addresses: number
}

export function afterLogsAnswer(limits: Limits, { blocks, addresses }: LogQuerySize): Limits {
  return { ...limits, blocks: afterAllowed(limits.blocks, blocks), addresses: afterAllowed(limits.addresses, addresses) }
}

/** What of a log query has to be smaller. `cut`: the blocks, since the answer may lack logs. */
export type LogRefusal = LogLimit | 'cut'

export function afterLogsRefusal(limits: Limits, { blocks, addresses }: LogQuerySize, limit: LogRefusal): Limits {
  switch (limit) {
    case 'blocks':
      return { ...limits, blocks: afterTooLarge(limits.blocks, blocks) }
    case 'cut':
      return { ...limits, blocks: shrunkTo(limits.blocks, half(blocks)) }
    case 'addresses':
      return { ...limits, addresses: afterTooLarge(limits.addresses, addresses) }
    case 'address-required':
      // Of a query for all logs of a block, which has no size.
      return limits
  }
}

/** A smaller form of a log query, whose answer is empty or small. */
export interface SmallerQuery {
  readonly call: RpcCall
  /** What the query has too much of if this one is answered, and the next larger one is not. */
  readonly limit: LogLimit
}

/** Faults that the size of a query may be the reason for. A single broken connection proves too little. */
export function mayBeTooLarge({ kind }: RpcFault, lossesInARow: number): boolean {
  switch (kind) {
    case 'closed':
    case 'wrong-chain':
    case 'inconsistent':
    case 'too-large':
      return false
    case 'network':
      return lossesInARow > 1
    default:
      return true
  }
}

/**
 * Distinguishes a query that is too large from a provider in trouble, without reading its words: a provider that limits its rate, or fails,
 * lets a small query through as little as a large one. What answers a small one at the same moment has refused the size.
 *
 * @param smaller of the refused query, the smallest first; they are asked in turn until one is not answered. A further list holds the same
 *   of another block, and is asked when the node refuses even the smallest: nodes fail at single blocks
 * @param cause why the query has no answer
 * @returns `null` when not even the smallest is answered: the trouble is not the size
 */
export async function exceededLimit(
  smaller: readonly (readonly SmallerQuery[])[],
  cause: RpcFault,
  isAnswered: (call: RpcCall) => Promise<boolean>,
): Promise<LogLimit | null> {
  const isRefusal = cause.kind === 'node' || cause.kind === 'rejected' || cause.kind === 'http'
  for (const ofOneBlock of isRefusal ? smaller : smaller.slice(0, 1)) {
    let limit: LogLimit | null = null
    for (const query of ofOneBlock) {
      if (!(await isAnswered(query.call))) break
      limit = query.limit
    }
    if (limit !== null) return limit
  }
  return null
}
