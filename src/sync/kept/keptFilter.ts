import type { KeyList } from '#chain/logs/logFilter.ts'
import type { FilteredAddress, LogRangeQuery } from '#chain/logs/logRanges.ts'
import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'

/**
 * A query of logs as a fixed part and the keys that it lists. Kept logs are stored by the fixed part, since the keys become more with every
 * launch. Of `addresses`, the keys are addresses; of a `contract` whose last list of topics grows, they are pool ids in that position.
 */
export type KeptFilter =
  | { readonly kind: 'addresses'; readonly topics: readonly Hex[] }
  | { readonly kind: 'contract'; readonly address: Address; readonly topics: readonly (readonly Hex[] | null)[]; readonly grows: boolean }

export interface KeyedFilter {
  readonly filter: KeptFilter
  /** Each once. Empty for a contract without a list that grows. */
  readonly keys: ReadonlySet<Hex>
}

type LogRangeQueryParts = Pick<LogRangeQuery, 'addresses' | 'topics' | 'filtered'>

/** The filters of a query. `null`: it asks for all logs of its addresses, which is never kept. */
export function keyedFilters({ addresses, topics, filtered = [] }: LogRangeQueryParts): readonly KeyedFilter[] | null {
  if (topics === undefined) return null
  const listed = new Set<Hex>(addresses)
  const ofAddresses = listed.size === 0 ? [] : [{ filter: { kind: 'addresses', topics: topics.toSorted() } as const, keys: listed }]
  return [...ofAddresses, ...filtered.map(ofContract)]
}

function ofContract({ address, topics }: FilteredAddress): KeyedFilter {
  const last = topics.at(-1) ?? null
  const grows = last !== null && !Array.isArray(last)
  const fixed = (grows ? topics.slice(0, -1) : topics).map(some => (some === null ? null : [...some].toSorted()))
  return { filter: { kind: 'contract', address, topics: fixed, grows }, keys: new Set<Hex>(grows ? last : []) }
}

/** The part of a query for these logs. */
export function partOf({ filter, keys }: KeyedFilter): LogRangeQueryParts {
  if (filter.kind === 'addresses') return { addresses: keys as ReadonlySet<Address>, topics: filter.topics }
  const topics: readonly (KeyList<Hex> | null)[] = filter.grows ? [...filter.topics, keys] : filter.topics
  return { addresses: [], topics: [], filtered: [{ address: filter.address, topics }] }
}

/** The key by which a log belongs to a filter; `null`: it does not match the fixed part. A contract's logs without a list have `0x`. */
export function keyOfLog(filter: KeptFilter, { address, topics }: ChainLog): Hex | null {
  if (filter.kind === 'addresses') return filter.topics.includes(topics[0] ?? '0x') ? address : null
  const matches = (some: readonly Hex[] | null, position: number) => some === null || some.includes(topics[position] ?? '0x')
  if (address !== filter.address || !filter.topics.every(matches)) return null
  return filter.grows ? (topics[filter.topics.length] ?? '0x') : '0x'
}

/** @param isProven whether the logs were held against the receipts of their blocks */
export function filterText(filter: KeptFilter, isProven: boolean): string {
  return JSON.stringify({ ...filter, isProven })
}

/** What `filterText` wrote. */
export function parseFilterText(text: string): KeptFilter & { readonly isProven: boolean } {
  return JSON.parse(text) as KeptFilter & { readonly isProven: boolean }
}

/** What of a filter's fixed part another one has too, and what it lacks; `null`: nothing in common. */
export function compareFilters(
  wanted: KeptFilter,
  kept: KeptFilter,
): { readonly common: KeptFilter; readonly lacking: KeptFilter | null } | null {
  if (wanted.kind === 'addresses' && kept.kind === 'addresses') {
    const has = new Set(kept.topics)
    const [common, lacking] = [wanted.topics.filter(topic => has.has(topic)), wanted.topics.filter(topic => !has.has(topic))]
    if (common.length === 0) return null
    return { common: { ...wanted, topics: common }, lacking: lacking.length === 0 ? null : { ...wanted, topics: lacking } }
  }
  const isSame = filterText(wanted, false) === filterText({ ...kept }, false)
  return isSame ? { common: wanted, lacking: null } : null
}
