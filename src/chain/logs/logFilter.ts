import type { Address, Hex } from '#domain/address.ts'
import type { LogFilter } from '#rpc/rpcCalls.ts'

/** Whether a log fits, told from its address and, as far as that is asked for, its topics by their position. */
export type LogTest = (address: Address, topic: (position: number) => Hex | undefined) => boolean

/** A list of a filter: that of addresses, or of the topics of one position. */
type ListAt = 'addresses' | number

/** The list that grows with what is watched: several addresses, or else the last topics. */
function longAt({ addresses = [], topics = [] }: LogFilter): ListAt {
  return addresses.length > 1 ? 'addresses' : topics.findLastIndex(some => some !== null)
}

function longestAt({ addresses = [], topics = [] }: LogFilter): ListAt {
  const lengths = topics.map(some => some?.length ?? 0)
  const longest = Math.max(...lengths, 0)
  return addresses.length >= longest ? 'addresses' : lengths.indexOf(longest)
}

function lengthAt({ addresses, topics = [] }: LogFilter, at: ListAt): number {
  return (at === 'addresses' ? addresses : topics[at])?.length ?? 0
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

/** The length of the list that grows with what is watched. */
export function longLength(filter: LogFilter): number {
  return lengthAt(filter, longAt(filter))
}

/** The length of the longest list: providers limit addresses and the topics of one position alike. */
export function widthOf(filter: LogFilter): number {
  return lengthAt(filter, longestAt(filter))
}

/** As several filters with at most so many entries of the list that grows. */
export function listedInParts(filter: LogFilter, most: number): readonly LogFilter[] {
  return inParts(filter, longAt(filter), most)
}

/** As several filters with at most so many entries of the longest list. */
export function widthInParts(filter: LogFilter, most: number): readonly LogFilter[] {
  return inParts(filter, longestAt(filter), most)
}

function inParts(filter: LogFilter, at: ListAt, most: number): readonly LogFilter[] {
  const length = lengthAt(filter, at)
  if (length <= most) return [filter]
  return Array.from({ length: Math.ceil(length / most) }, (_, part) =>
    withList(filter, at, list => list.slice(part * most, (part + 1) * most)),
  )
}

/** The filter without the list that grows, which other logs fit as well; `null`: every log would. */
export function opened(filter: LogFilter): LogFilter | null {
  const open = withList(filter, longAt(filter), () => null)
  return open.addresses === undefined && (open.topics ?? []).every(some => some === null) ? null : open
}

/** Costs a copy of the lists. */
export function createLogTest({ addresses, topics = [] }: LogFilter): LogTest {
  const wanted = addresses === undefined ? null : new Set(addresses)
  const fits = topics.map(some => (some === null ? null : new Set(some)))
  return (address, topic) => {
    if (wanted !== null && !wanted.has(address)) return false
    return fits.every((some, position) => some === null || some.has(topic(position) ?? '0x'))
  }
}
