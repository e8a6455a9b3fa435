import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { Discovery, LaunchpadAdapter, Watched } from './adapter.ts'
import { POOL_TOPICS } from './uniswapV4.ts'

/** What is indexed, with the block that announced it (of a backfilled range, its last one). */
export interface IndexedDiscovery extends Discovery {
  readonly block: number
}

/** Which addresses are watched and why: the launchpads' contracts from the start, tokens and pools as they are indexed. */
export interface Directory {
  readonly contracts: readonly Address[]
  readonly startBlock: number
  has(address: Address): boolean
  addresses(): readonly Address[]
  /** By address, by the id of a Uniswap v4 pool, or by `positionKey`. */
  lookup(address: Hex): Watched | undefined
  /** The ids of the Uniswap v4 pools. */
  poolIds(): readonly Hex[]
  /** Whose logs, and which, have to be fetched for these addresses and ids of pools. */
  partsOf(keys: readonly Hex[]): LogParts
  /**
   * The addresses and the ids of pools that these logs of watched addresses add: at least those of `discoveries`, since an address that is
   * not indexed yet is taken for one that may announce others. Changes nothing.
   */
  discover(logs: readonly ChainLog[]): readonly Hex[]
  /**
   * What these logs, ascending by block, add, with the reason and the block that announces it. What is watched already is not among them: the
   * first announcement counts.
   *
   * @param announced what is not watched yet and was announced before these logs. Default nothing
   */
  discoveries(logs: readonly ChainLog[], announced?: readonly IndexedDiscovery[]): readonly IndexedDiscovery[]
  /** Watches from now on. To be called once what announced them, in blocks up to this one, is committed. */
  add(discoveries: readonly Discovery[], block: number): void
  /** A directory of its own that knows only what blocks up to this one announced. Cost: a copy of everything. */
  upTo(block: number): Directory
  /** Forgets what it knows and takes over what the other one knows. */
  become(other: Directory): void
  /** Everything that is indexed. */
  indexed(): readonly IndexedDiscovery[]
}

/** Logs of addresses, and of others those whose topics fit. */
export interface LogParts {
  readonly addresses: readonly Address[]
  readonly filtered: readonly { readonly address: Address; readonly topics: readonly (readonly Hex[] | null)[] }[]
}

const ADDRESS_LENGTH = 42
const POOL_ID_LENGTH = 66

/** Why a log matters: its emitter is watched, or what it is about: a pool inside a PoolManager, a position in a locker. */
export function watchedBy(log: Pick<ChainLog, 'address' | 'topics'>, directory: Pick<Directory, 'lookup'>): Watched | undefined {
  const watched = directory.lookup(log.address)
  const [, id] = log.topics
  if (watched?.role === 'locker') return (id === undefined ? undefined : directory.lookup(positionKey(log.address, id))) ?? watched
  if (watched?.role !== 'poolManager') return watched
  // An indexed address has the length of an id, and is none.
  const pool = id === undefined ? undefined : directory.lookup(id)
  return isUniswapV4(pool) ? pool : undefined
}

function isUniswapV4(watched: Watched | undefined): boolean {
  return watched?.role === 'pool' && watched.pool.type === 'uniswap-v4'
}

/** What a position is watched as: numbers are the position manager's, and two lockers may hold the same. */
export function positionKey(locker: Address, positionId: bigint | Hex): Hex {
  const id = typeof positionId === 'bigint' ? positionId.toString(16).padStart(64, '0') : positionId.slice(2)
  return `0x${locker.slice(2)}${id}`
}

/**
 * A directory of the launchpads' own contracts and of what is already indexed. It holds one entry per token and pool for the life of
 * the process, since the next block may hold a log of any of them.
 */
export function createDirectory(adapters: readonly LaunchpadAdapter[], indexed: readonly IndexedDiscovery[]): Directory {
  const entries = new Map<Hex, Watched>()
  const contracts: Address[] = []
  for (const adapter of adapters) {
    for (const address of adapter.contracts) {
      if (!entries.has(address)) contracts.push(address)
      entries.set(address, contractOf(address, adapter))
    }
  }
  const managers = [...new Set(adapters.flatMap(({ poolManager }) => poolManager ?? []))]
  const topicsOf = (address: Address) => {
    const listed = adapters.filter(adapter => adapter.contracts.includes(address)).map(({ topics }) => topics?.get(address))
    // Everything, when any launchpad wants that.
    return listed.every(topics => topics !== undefined) ? listed[0] : undefined
  }
  const narrowed = new Map(
    contracts.flatMap(address => {
      const topics = managers.includes(address) ? undefined : topicsOf(address)
      return topics === undefined ? [] : [[address, topics] as const]
    }),
  )
  /** The block that announced each entry that is no contract. */
  const blocks = new Map<Hex, number>()
  const add = ({ address, watched, block }: IndexedDiscovery) => {
    if (entries.has(address)) return
    entries.set(address, watched)
    blocks.set(address, block)
  }
  for (const one of indexed) add(one)
  const indexedUpTo = (last: number) =>
    [...blocks].flatMap(([address, block]): readonly IndexedDiscovery[] => {
      const watched = entries.get(address)
      return watched === undefined || block > last ? [] : [{ address, watched, block }]
    })

  const announcing = new Set(adapters.flatMap(adapter => [...adapter.announcing]))
  const isAnnouncing = ({ topics }: ChainLog) => topics[0] !== undefined && announcing.has(topics[0])

  const discoveries = (logs: readonly ChainLog[], announced: readonly IndexedDiscovery[] = []) => {
    const found = new Map<Hex, IndexedDiscovery>()
    const before = new Map(announced.map(({ address, watched }) => [address, watched]))
    const lookup = (address: Hex) => entries.get(address) ?? before.get(address) ?? found.get(address)?.watched
    // Of a hundred logs less than one announces anything, and all are looked at, again and again.
    for (const [block, blockLogs] of blocksWith(logs, isAnnouncing)) {
      // What a block announces may announce something itself in the same block, before or after.
      for (let known = -1; known < found.size; ) {
        known = found.size
        for (const adapter of adapters) {
          for (const { address, watched } of adapter.discover(blockLogs, lookup)) {
            if (lookup(address) === undefined) found.set(address, { address, watched, block })
          }
        }
      }
    }
    return [...found.values()]
  }
  const discover = (logs: readonly ChainLog[]) => {
    if (!logs.some(isAnnouncing)) return []
    const found = new Set(
      discoveries(logs)
        .map(({ address }) => address)
        .filter(key => isAddress(key) || isPoolId(key)),
    )
    const uncertain = logs.filter(log => isAnnouncing(log) && !entries.has(log.address) && !found.has(log.address))
    if (uncertain.length === 0) return [...found]
    for (const address of adapters.flatMap(adapter => adapter.mayAnnounce?.(uncertain) ?? [])) if (!entries.has(address)) found.add(address)
    return [...found]
  }

  return {
    contracts,
    startBlock: Math.min(...adapters.map(adapter => adapter.startBlock)),
    has: address => entries.has(address),
    addresses: () => [...entries.keys()].filter(isAddress),
    lookup: address => entries.get(address),
    poolIds: () => [...entries].flatMap(([key, watched]) => (isUniswapV4(watched) ? [key] : [])),
    partsOf: keys => {
      const addresses = keys.filter(isAddress)
      const ids = keys.filter(isPoolId)
      const ofPools = ids.length === 0 ? [] : managers.map(address => ({ address, topics: [POOL_TOPICS, ids] }))
      const ofContracts = addresses.flatMap(address => {
        const topics = narrowed.get(address)
        return topics === undefined ? [] : [{ address, topics }]
      })
      const isWhole = (address: Address) => !narrowed.has(address) && !managers.includes(address)
      return { addresses: addresses.filter(isWhole), filtered: [...ofPools, ...ofContracts] }
    },
    discover,
    discoveries,
    add: (found, block) => {
      for (const discovery of found) add({ ...discovery, block })
    },
    upTo: block => createDirectory(adapters, indexedUpTo(block)),
    become: other => {
      for (const address of blocks.keys()) entries.delete(address)
      blocks.clear()
      for (const one of other.indexed()) add(one)
    },
    indexed: () => indexedUpTo(Number.POSITIVE_INFINITY),
  }
}

function contractOf(address: Address, { launchpad, poolManager, positions, curves = [] }: LaunchpadAdapter): Watched {
  if (address === poolManager) return { role: 'poolManager', launchpad }
  if (address === positions?.locker) return { role: 'locker', launchpad }
  return { role: 'contract', launchpad, ...(curves.includes(address) && { holds: 'curve' }) }
}

/** The blocks, each with all of its logs, that hold one of which it is true. */
function* blocksWith(logs: readonly ChainLog[], isMeant: (log: ChainLog) => boolean): Generator<readonly [number, readonly ChainLog[]]> {
  for (let from = 0, to = 0; from < logs.length; from = to) {
    const block = logs[from]?.blockNumber ?? 0
    let holds = false
    for (let log = logs[from]; log !== undefined && log.blockNumber === block; log = logs[++to]) holds ||= isMeant(log)
    if (holds) yield [block, logs.slice(from, to)]
  }
}

/** Pools inside a PoolManager and positions in a locker have no logs of their own to fetch. */
function isAddress(key: Hex): key is Address {
  return key.length === ADDRESS_LENGTH
}

function isPoolId(key: Hex): boolean {
  return key.length === POOL_ID_LENGTH
}
