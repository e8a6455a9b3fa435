import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { Discovery, LaunchpadAdapter, Watched } from './adapter.ts'

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
  /** By address, or by the id of a Uniswap v4 pool. */
  lookup(address: Hex): Watched | undefined
  /**
   * The addresses that these logs of watched addresses add: at least those of `discoveries`, since an address that is not indexed yet is
   * taken for one that may announce others. Changes nothing.
   */
  discover(logs: readonly ChainLog[]): readonly Address[]
  /**
   * What these logs, ascending by block, add, with the reason and the block that announces it. An address that is watched already is not
   * among them: the first announcement counts.
   */
  discoveries(logs: readonly ChainLog[]): readonly IndexedDiscovery[]
  /** Watches from now on. To be called once what announced them, in blocks up to this one, is committed. */
  add(discoveries: readonly Discovery[], block: number): void
  /** A directory of its own that knows only what blocks up to this one announced. Cost: a copy of everything. */
  upTo(block: number): Directory
  /** Forgets what it knows and takes over what the other one knows. */
  become(other: Directory): void
  /** Everything that is indexed. */
  indexed(): readonly IndexedDiscovery[]
}

const ADDRESS_LENGTH = 42

/** Why a log matters: its emitter is watched, or the pool inside a PoolManager that it is about. */
export function watchedBy(log: Pick<ChainLog, 'address' | 'topics'>, lookup: Directory['lookup']): Watched | undefined {
  const watched = lookup(log.address)
  if (watched?.role !== 'poolManager') return watched
  const [, id] = log.topics
  // An indexed address has the length of an id, and is none.
  const pool = id === undefined ? undefined : lookup(id)
  return pool?.role === 'pool' && pool.pool.type === 'uniswap-v4' ? pool : undefined
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
      entries.set(address, {
        role: address === adapter.poolManager ? 'poolManager' : 'contract',
        launchpad: adapter.launchpad,
        ...(adapter.curves?.includes(address) === true && { holds: 'curve' }),
      })
    }
  }
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

  const discoveries = (logs: readonly ChainLog[]) => {
    const found = new Map<Hex, IndexedDiscovery>()
    const lookup = (address: Hex) => entries.get(address) ?? found.get(address)?.watched
    for (const [block, blockLogs] of Map.groupBy(logs, ({ blockNumber }) => blockNumber)) {
      // What a block announces may announce something itself in the same block, before or after.
      for (let before = -1; before < found.size; ) {
        before = found.size
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
    const found = new Set(
      discoveries(logs)
        .map(({ address }) => address)
        .filter(isAddress),
    )
    const uncertain = logs.filter(({ address }) => !entries.has(address) && !found.has(address))
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

/** A pool inside a PoolManager has no logs of its own to fetch. */
function isAddress(key: Hex): key is Address {
  return key.length === ADDRESS_LENGTH
}
