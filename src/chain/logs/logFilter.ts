import type { ChainLog } from '#domain/block.ts'
import type { LogFilter } from '#rpc/rpcCalls.ts'

/** A list of a filter: its addresses, or the topics of one position. */
type ListAt = 'addresses' | number

/** The list that grows with what is watched: the addresses, or of a single address the last topics. */
function growingList({ addresses = [], topics = [] }: LogFilter): ListAt {
  return addresses.length > 1 ? 'addresses' : topics.findLastIndex(some => some !== null)
}

function longestList({ addresses = [], topics = [] }: LogFilter): ListAt {
  const lengths = topics.map(some => some?.length ?? 0)
  const longest = Math.max(...lengths, 0)
  return addresses.length >= longest ? 'addresses' : lengths.indexOf(longest)
}

function withList(filter: LogFilter, at: ListAt, change: <T>(list: readonly T[]) => readonly T[] | null): LogFilter {
  const { addresses, topics } = filter
  if (at !== 'addresses') {
    return {
      ...filter,
      ...(topics !== undefined && { topics: topics.map((some, index) => (index === at && some !== null ? change(some) : some)) }),
    }
  }
  const changed = addresses === undefined ? null : change(addresses)
  return { ...(changed !== null && { addresses: changed }), ...(topics !== undefined && { topics }) }
}

function lengthAt({ addresses, topics = [] }: LogFilter, at: ListAt): number {
  return (at === 'addresses' ? addresses : topics[at])?.length ?? 0
}

/** The length of the longest list: providers limit addresses and the topics of one position alike. */
export function widthOf(filter: LogFilter): number {
  return lengthAt(filter, longestList(filter))
}

/** As several filters with at most `most` entries of the list that grows. */
export function inParts(filter: LogFilter, most: number): readonly LogFilter[] {
  return cutList(filter, growingList(filter), most)
}

/** As several filters with at most `most` entries of the longest list. */
export function inNarrowerParts(filter: LogFilter, most: number): readonly LogFilter[] {
  return cutList(filter, longestList(filter), most)
}

function cutList(filter: LogFilter, at: ListAt, most: number): readonly LogFilter[] {
  const length = lengthAt(filter, at)
  if (length <= most) return [filter]
  return Array.from({ length: Math.ceil(length / most) }, (_, part) =>
    withList(filter, at, list => list.slice(part * most, (part + 1) * most)),
  )
}

/** The filter without the list that grows, which matches logs of others, too; `null` when it would match every log. */
export function withoutList(filter: LogFilter): LogFilter | null {
  const rest = withList(filter, growingList(filter), () => null)
  return rest.addresses === undefined && (rest.topics ?? []).every(some => some === null) ? null : rest
}

/** A test of logs against the filter. Costs a copy of its lists. */
export function createLogTest({ addresses, topics = [] }: LogFilter): (log: ChainLog) => boolean {
  const wanted = addresses === undefined ? null : new Set(addresses)
  const matching = topics.map(some => (some === null ? null : new Set(some)))
  return log => {
    if (wanted !== null && !wanted.has(log.address)) return false
    return matching.every((some, position) => some === null || some.has(log.topics[position] ?? '0x'))
  }
}
