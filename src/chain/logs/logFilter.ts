import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { KeySet } from '#domain/keySet.ts'
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
export function toLogFilter({ addresses, topics }: WantedLogs): LogFilter {
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
export function inParts(filter: WantedLogs, most: number): Iterable<LogFilter> {
  return cutList(filter, growingList(filter), most)
}

/** The number of filters that `inParts` gives. */
export function partCount(filter: WantedLogs, most: number): number {
  return Math.max(1, Math.ceil(lengthOf(listAt(filter, growingList(filter))) / most))
}

/** Several filters with at most `most` entries of the longest list each. */
export function inNarrowerParts(filter: WantedLogs, most: number): Iterable<LogFilter> {
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
export function withoutList(filter: WantedLogs): LogFilter | null {
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
