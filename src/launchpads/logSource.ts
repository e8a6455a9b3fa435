import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { PoolFacts } from './tokenEvent.ts'
import { unlessMalformed } from './words.ts'

/** The facts that are needed to read a pool's logs. */
export type SourcePool = Omit<PoolFacts, 'positionId'>

/** Something whose logs are indexed: a contract, a pool inside a PoolManager, or a position inside a locker. */
export type LogSource =
  | { readonly role: 'contract'; readonly launchpad: string }
  /** A contract that takes part in trades and keeps no tokens for others: a hook, a MEV module. */
  | { readonly role: 'module'; readonly launchpad: string }
  /** A launchpad's own contract in which all of its tokens trade before they graduate. */
  | { readonly role: 'sharedCurve'; readonly launchpad: string }
  /** A Uniswap v4 PoolManager. Its logs belong to the pools inside it. */
  | { readonly role: 'poolManager'; readonly launchpad: string }
  /** A contract that holds LP positions. Its logs belong to a position or to itself. */
  | { readonly role: 'locker'; readonly launchpad: string }
  | { readonly role: 'position'; readonly launchpad: string; readonly token: Address; readonly pool: SourcePool }
  | { readonly role: 'token'; readonly launchpad: string; readonly token: Address }
  | {
      readonly role: 'pool'
      readonly launchpad: string
      readonly token: Address
      readonly pool: SourcePool
      readonly tokenDecimals: number
    }
  /** A pool that the configuration names to price a quote currency (`token`). */
  | { readonly role: 'quotePool'; readonly launchpad: string; readonly token: Address; readonly pool: SourcePool }
  | {
      readonly role: 'tokenCurve'
      readonly launchpad: string
      readonly token: Address
      readonly pool: SourcePool
      readonly tokenDecimals: number
    }

export type LogSourceOf<R extends LogSource['role']> = Extract<LogSource, { readonly role: R }>

/** The source that has this key: an address, the id of a Uniswap v4 pool, or a `positionKey`. */
export type SourceLookup = (key: Hex) => LogSource | undefined

export interface DiscoveredSource {
  readonly key: Hex
  readonly source: LogSource
}

export interface QuotePoolSource {
  readonly key: Hex
  readonly source: LogSourceOf<'quotePool'>
}

/** A source with the block whose logs made it known; in a backfilled range, the last block of the range. */
export interface IndexedSource extends DiscoveredSource {
  readonly block: number
}

export function tokenSource(launchpad: string, token: Address): DiscoveredSource {
  return { key: token, source: { role: 'token', launchpad, token } }
}

export function poolSource(launchpad: string, token: Address, pool: PoolFacts, tokenDecimals: number): DiscoveredSource {
  return { key: pool.address, source: { role: 'pool', launchpad, token, pool, tokenDecimals } }
}

/** The source of a log: its emitter, or the pool or position inside the emitter that the first indexed argument names. */
export function sourceOf(
  { address, topics }: Pick<ChainLog, 'address' | 'topics'>,
  directory: { readonly lookup: SourceLookup },
): LogSource | undefined {
  const emitter = directory.lookup(address)
  const id = topics[1]
  if (emitter?.role === 'locker') return (id === undefined ? undefined : directory.lookup(positionKey(address, id))) ?? emitter
  if (emitter?.role !== 'poolManager') return emitter
  // A shared curve's key is as long as a pool id, but is not one.
  const pool = id === undefined ? undefined : directory.lookup(id)
  return isUniswapV4Pool(pool) ? pool : undefined
}

export function isUniswapV4Pool(source: LogSource | undefined): boolean {
  return (source?.role === 'pool' || source?.role === 'quotePool') && source.pool.type === 'uniswap-v4'
}

/** The key of a position. Position ids are unique only within a position manager, so two lockers may hold positions of the same id. */
export function positionKey(locker: Address, positionId: bigint | Hex): Hex {
  const id = typeof positionId === 'bigint' ? positionId.toString(16).padStart(64, '0') : positionId.slice(2)
  return `0x${locker.slice(2)}${id}`
}

/**
 * The sources that events add, one list per event. A token that is announced again adds nothing: a second announcement could be forged,
 * and name another market.
 */
export function withoutRepeatedLaunches(
  added: readonly (readonly DiscoveredSource[])[],
  lookup: SourceLookup,
): readonly DiscoveredSource[] {
  const launched = new Set<Hex>()
  return added.flatMap(sources => {
    const token = sources.find(({ source: { role } }) => role === 'token' || role === 'tokenCurve')
    if (token === undefined) return sources
    if (launched.has(token.key) || lookup(token.key) !== undefined) return []
    launched.add(token.key)
    return sources
  })
}

/** The sources that creation logs add, without repeated launches. A malformed log adds none. */
export function launchedSources(
  creations: readonly ChainLog[],
  sourcesOf: (log: ChainLog) => readonly DiscoveredSource[],
  lookup: SourceLookup,
): readonly DiscoveredSource[] {
  const added = creations.map(log => unlessMalformed(() => sourcesOf(log)) ?? [])
  return withoutRepeatedLaunches(added, lookup)
}
