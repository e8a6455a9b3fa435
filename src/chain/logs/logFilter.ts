import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { KeySet } from '#domain/maps.ts'
import type { RpcProvider } from '#rpc/provider.ts'
import type { LogFilter } from '#rpc/rpcCalls.ts'

export type KeyList<Key> = readonly Key[] | KeySet<Key>

/** A `LogFilter` whose lists may be too long for one query, or too long to be held as strings. */
export interface WantedLogs {
  readonly addresses?: KeyList<Address>
  readonly topics?: readonly (KeyList<Hex> | null)[]
}

/** A list of a filter: its addresses, or the topics of one position. */
type ListAt = 'addresses' | number

/** The list that grows with the watched tokens: the addresses or, for a single address, the last list of topics. */
function growingList({ addresses = [], topics = [] }: WantedLogs): ListAt {
  return lengthOf(addresses) > 1 ? 'addresses' : topics.findLastIndex(some => some !== null)
}

function longestList({ addresses = [], topics = [] }: WantedLogs): ListAt {
  const lengths = topics.map(some => lengthOf(some ?? []))
  const longest = Math.max(...lengths, 0)
  return lengthOf(addresses) >= longest ? 'addresses' : lengths.indexOf(longest)
}

function lengthOf(list: KeyList<Hex>): number {
  return 'length' in list ? list.length : list.size
}

function listAt({ addresses, topics = [] }: WantedLogs, at: ListAt): KeyList<Hex> {
  return (at === 'addresses' ? addresses : topics[at]) ?? []
}

/** @param list `null`: left out */
function withList(filter: WantedLogs, at: ListAt, list: readonly Hex[] | null): WantedLogs {
  if (at !== 'addresses') return { ...filter, topics: (filter.topics ?? []).map((some, place) => (place === at ? list : some)) }
  const { addresses: _, ...rest } = filter
  return list === null ? rest : { ...rest, addresses: list as readonly Address[] }
}

/** The filter as a provider gets it. */
function toLogFilter({ addresses, topics }: WantedLogs): LogFilter {
  return {
    ...(addresses !== undefined && { addresses: [...addresses] }),
    ...(topics !== undefined && { topics: topics.map(some => (some === null ? null : [...some])) }),
  }
}

/** The length of the longest list: providers limit addresses and the topics of one position alike. */
export function widthOf(filter: WantedLogs): number {
  return lengthOf(listAt(filter, longestList(filter)))
}

/** Several filters with at most `most` entries of the growing list each. The iterator makes them one by one. */
function inParts(filter: WantedLogs, most: number): Iterable<LogFilter> {
  return cutList(filter, growingList(filter), most)
}

/** The number of filters that `inParts` gives. */
function partCount(filter: WantedLogs, most: number): number {
  return Math.max(1, Math.ceil(lengthOf(listAt(filter, growingList(filter))) / most))
}

/** Several filters with at most `most` entries of the longest list each. */
function inNarrowerParts(filter: WantedLogs, most: number): Iterable<LogFilter> {
  return cutList(filter, longestList(filter), most)
}

function* cutList(filter: WantedLogs, at: ListAt, most: number): Generator<LogFilter> {
  const list = listAt(filter, at)
  if (lengthOf(list) <= most) {
    yield toLogFilter(filter)
    return
  }
  let part: Hex[] = []
  for (const key of list) {
    if (part.push(key) < most) continue
    yield toLogFilter(withList(filter, at, part))
    part = []
  }
  if (part.length > 0) yield toLogFilter(withList(filter, at, part))
}

/**
 * The filter without its growing list, which also matches the logs of unlisted addresses or topics; `null` when it would match every log.
 */
function withoutList(filter: WantedLogs): LogFilter | null {
  const rest = toLogFilter(withList(filter, growingList(filter), null))
  return rest.addresses === undefined && (rest.topics ?? []).every(some => some === null) ? null : rest
}

/** A test of logs against the filter. Costs a copy of its arrays. */
export function createLogTest({ addresses, topics = [] }: WantedLogs): (log: ChainLog) => boolean {
  const setOf = <Key>(list: KeyList<Key>) => ('length' in list ? new Set(list) : list)
  const wanted = addresses === undefined ? null : setOf(addresses)
  const matching = topics.map(some => (some === null ? null : setOf(some)))
  return log => {
    if (wanted !== null && !wanted.has(log.address)) return false
    return matching.every((some, position) => some === null || some.has(log.topics[position] ?? '0x'))
  }
}

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
interface LogQueryChoice extends LogQueryLimits {
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

/** Logs per answer to aim for, below what providers refuse: a larger answer keeps the thread busy for more than 10 ms at a time. */
const LOGS_PER_ANSWER = 2_000
/** A query costs about as much as this many logs. */
const LOGS_PER_QUERY = LOGS_PER_ANSWER / 2
/** The blocks of the first query by topic, which shows how busy the chain is. */
const FIRST_BLOCKS = 4
/**
 * A query by topic spans at most this many times the blocks of the largest one before: after quiet blocks, the next answer must not be
 * giant.
 */
const TOPIC_GROWTH = 4
/** The remembered logs per block shrink by this factor with every answer that shows fewer. */
const DENSITY_KEPT = 0.8

/** Logs per block, in the fullest of the last answers. */
interface Density {
  readonly all: number
  /** Foreign logs: logs that do not match the filter. */
  readonly foreign: number
  /** Blocks of the largest query. */
  readonly blocks: number
}

const NO_DENSITY: Density = { all: 0, foreign: 0, blocks: 0 }

/**
 * Whether logs are asked for by address or by topic. One rule: by address while the list fits into one query; a longer list by topic, as
 * long as the foreign logs that this brings cost less than the queries that it saves. Never by topic from a provider that requires
 * addresses.
 *
 * For a list of 100,000 tokens: 20 queries in place of 101 on a quiet chain, and still 101 on a busy one.
 */
export interface LogStrategy {
  /**
   * @param blocks that are left of the range
   * @param checks whether to measure again how busy the chain is: once per range
   */
  choose(provider: Pick<RpcProvider, 'limits' | 'addressRequired'>, filter: WantedLogs, blocks: number, checks: boolean): LogQueryChoice
  /** What a provider's limits and the chain's density allow in one query. */
  limits(provider: Pick<RpcProvider, 'limits'>, filter: WantedLogs): LimitsOfQueries
  /** @param all logs in the answer, of which `kept` are wanted */
  answered(query: LogQuery, all: number, kept: number): void
}

export function createLogStrategy(): LogStrategy {
  let byAddress = NO_DENSITY
  /** The density of logs of each filter, by the filter without its growing list. */
  const byTopic = new Map<string, Density>()

  const limitsOf: LogStrategy['limits'] = ({ limits }, filter) => {
    const { all, blocks } = byTopic.get(keyOf(filter)) ?? NO_DENSITY
    const maxByTopic = Math.min(limits.blocks.size, Math.max(FIRST_BLOCKS, blocks * TOPIC_GROWTH))
    return {
      address: { blocks: fitting(limits.blocks.size, byAddress.all), width: limits.addresses.size },
      topic: { blocks: fitting(maxByTopic, all), width: limits.addresses.size },
    }
  }

  return {
    limits: limitsOf,
    choose: (provider, filter, blocks, checks) => {
      const { address, topic } = limitsOf(provider, filter)
      const queries = partCount(filter, address.width)
      if (queries === 1 || provider.addressRequired || withoutList(filter) === null) return { by: 'address', ...address }
      const known = byTopic.get(keyOf(filter))
      if (known === undefined) return { by: 'topic', ...topic }
      const queriesByTopic = Math.ceil(blocks / fitting(provider.limits.blocks.size, known.all))
      const costByAddress = Math.ceil(blocks / address.blocks) * queries * LOGS_PER_QUERY
      if (queriesByTopic * LOGS_PER_QUERY + blocks * known.foreign < costByAddress) return { by: 'topic', ...topic }
      return checks ? { by: 'topic', ...topic, blocks: Math.min(topic.blocks, FIRST_BLOCKS) } : { by: 'address', ...address }
    },
    answered: (query, all, kept) => {
      const blocks = blocksOf(query)
      const seen = { all: all / blocks, foreign: (all - kept) / blocks, blocks }
      if (query.by === 'address') byAddress = faded(byAddress, seen)
      else byTopic.set(keyOf(query.filter), faded(byTopic.get(keyOf(query.filter)) ?? NO_DENSITY, seen))
    },
  }
}

function keyOf(filter: WantedLogs): string {
  return JSON.stringify(withoutList(filter))
}

function fitting(blocks: number, logsPerBlock: number): number {
  return logsPerBlock === 0 ? blocks : Math.max(1, Math.min(blocks, Math.ceil(LOGS_PER_ANSWER / logsPerBlock)))
}

function faded(known: Density, seen: Density): Density {
  return {
    all: Math.max(seen.all, known.all * DENSITY_KEPT),
    foreign: Math.max(seen.foreign, known.foreign * DENSITY_KEPT),
    blocks: Math.max(seen.blocks, known.blocks),
  }
}
