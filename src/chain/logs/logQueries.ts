import type { LogFilter } from '#rpc/rpcCalls.ts'
import { inNarrowerParts, inParts, toLogFilter, type WantedLogs, widthOf, withoutList } from './logFilter.ts'

/**
 * How logs are asked for. `address`: by the list of addresses, or of pool ids, in as many parts as the provider's limit asks for. `topic`:
 * without that list, in one query however long the list is. The answer then has foreign logs, which are dropped here.
 */
export type LogQueryBy = 'address' | 'topic'

/** One query of logs: a part of a filter in some blocks, both ends inclusive. */
export interface LogQuery {
  readonly from: number
  readonly to: number
  readonly by: LogQueryBy
  readonly filter: WantedLogs
}

export interface LogQueryLimits {
  readonly blocks: number
  /** Entries of a list. */
  readonly width: number
}

/** The limits of either way to ask. */
export type LimitsOfQueries = Readonly<Record<LogQueryBy, LogQueryLimits>>

/** The filter that the provider gets. */
export function sentFilter({ filter, by }: LogQuery): LogFilter {
  return (by === 'topic' ? withoutList(filter) : null) ?? toLogFilter(filter)
}

export function blocksOf({ from, to }: Pick<LogQuery, 'from' | 'to'>): number {
  return to - from + 1
}

/** Queries within the limits, ascending by block, each made when it is asked for: a long list gives thousands. */
function cutQuery(query: LogQuery, { blocks, width }: LogQueryLimits): Iterator<LogQuery, undefined> & Iterable<LogQuery> {
  return inRanges(query, blocks, () => (query.by === 'topic' ? [query.filter] : inParts(query.filter, width)))
}

function* inRanges(query: LogQuery, blocks: number, filters: () => Iterable<WantedLogs>): Generator<LogQuery, undefined> {
  for (let from = query.from; from <= query.to; from += blocks) {
    const to = Math.min(query.to, from + blocks - 1)
    for (const filter of filters()) yield { ...query, from, to, filter }
  }
}

/** Whether a query is larger than the limits allow. */
export function exceeds(query: LogQuery, limits: LimitsOfQueries): boolean {
  const { blocks, width } = limits[query.by]
  return blocksOf(query) > blocks || (query.by === 'address' && widthOf(query.filter) > width)
}

/**
 * Smaller queries after a refusal. Cases:
 * 1. by topic, one block: by address
 * 2. larger than the limits allow now: within them
 * 3. several blocks: halves by block
 * 4. one block: halves by list
 *
 * @returns `null` when the query can't be smaller
 */
export function splitQuery(query: LogQuery, limits: LimitsOfQueries): Iterable<LogQuery> | null {
  const { filter, by } = query
  const { blocks, width } = limits[by]
  const [span, listed] = [blocksOf(query), by === 'topic' ? 0 : widthOf(filter)]
  const half = Math.ceil(span / 2)
  if (by === 'topic') return span === 1 ? byAddress(query, limits) : inRanges(query, Math.min(blocks, half), () => [filter])
  if (exceeds(query, limits)) return inRanges(query, blocks, () => inNarrowerParts(filter, width))
  if (span > 1) return inRanges(query, half, () => [filter])
  return listed > 1 ? inRanges(query, 1, () => inNarrowerParts(filter, Math.ceil(listed / 2))) : null
}

/** The queries for the same logs by address. */
export function byAddress(query: LogQuery, limits: LimitsOfQueries): Iterable<LogQuery> {
  return cutQuery({ ...query, by: 'address' }, limits.address)
}

/** How the next blocks of a filter are asked for. */
export interface LogQueryChoice extends LogQueryLimits {
  readonly by: LogQueryBy
}

export interface LogPlan {
  /**
   * The next query, or `null`. With `enough` logs no further blocks are begun: the other filters only catch up with the one that is ahead.
   */
  next(enough: boolean): LogQuery | null
  /** The last block up to which the queries given out cover all filters. */
  reached(): number
}

export interface LogPlanOptions {
  readonly from: number
  readonly to: number
  readonly filters: readonly WantedLogs[]
  /** Called before each series of queries, so that it can use what earlier answers have shown. `blocks`: how many are left of the range. */
  choose(filter: WantedLogs, blocks: number): LogQueryChoice
}

/** Gives out queries roughly in the order of blocks: the next series is of the filter that has covered the fewest blocks. */
export function createLogPlan({ from, to, filters, choose }: LogPlanOptions): LogPlan {
  const tracks = filters.map(filter => ({ filter, next: from }))
  let queries: Iterator<LogQuery, undefined> = [][Symbol.iterator]()
  const begin = (goal: number): Iterator<LogQuery, undefined> => {
    const track = tracks.reduce((least, one) => (one.next < least.next ? one : least))
    if (track.next > goal) return [][Symbol.iterator]()
    const { by, ...limits } = choose(track.filter, goal - track.next + 1)
    const query = { from: track.next, to: Math.min(goal, track.next + limits.blocks - 1), by, filter: track.filter }
    track.next = query.to + 1
    return cutQuery(query, limits)
  }
  return {
    next: enough => {
      const { value } = queries.next()
      if (value !== undefined) return value
      queries = begin(enough ? Math.max(...tracks.map(({ next }) => next)) - 1 : to)
      return queries.next().value ?? null
    },
    reached: () => Math.min(...tracks.map(({ next }) => next)) - 1,
  }
}
