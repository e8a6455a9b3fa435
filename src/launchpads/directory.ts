import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { LaunchpadAdapter, LogTopics } from './adapter.ts'
import { type DiscoveredSource, type IndexedSource, isUniswapV4Pool, type LogSource, type SourceLookup } from './logSource.ts'
import { TRANSFER_TOPIC } from './transfer.ts'
import { V4_TOPICS } from './uniswapV4.ts'

/**
 * The sources of logs: the launchpads' contracts and the pools of quote currencies from the start, and the tokens, pools and positions that
 * their logs have added.
 */
export interface Directory {
  /** The launchpads' own contracts, and the pools of quote currencies. */
  readonly contracts: readonly Address[]
  readonly startBlock: number
  has(address: Address): boolean
  /** The addresses of all sources, `contracts` included. */
  addresses(): readonly Address[]
  /** As `SourceLookup`. */
  lookup(key: Hex): LogSource | undefined
  /** Of Uniswap v4. */
  poolIds(): readonly Hex[]
  /** Whether logs with this first topic are decoded, whatever their emitter. */
  isUnderstood(topic: Hex | undefined): boolean
  /** Which logs to fetch for these addresses and pool ids. */
  partsOf(keys: readonly Hex[]): LogParts
  /** The addresses and pool ids that these logs may add, those of emitters that are not indexed yet included. Changes nothing. */
  discover(logs: readonly ChainLog[]): readonly Hex[]
  /**
   * The new sources that these logs, ascending by block, add. The first log that adds a source wins.
   *
   * @param pending sources of earlier logs that are not in the directory yet. Default none
   */
  discoveries(logs: readonly ChainLog[], pending?: readonly IndexedSource[]): readonly IndexedSource[]
  /** Adds sources, once the blocks up to `block`, whose logs added them, are committed. */
  add(sources: readonly DiscoveredSource[], block: number): void
  /** A new directory without the sources of later blocks. Costs a copy. */
  upTo(block: number): Directory
  /** Replaces all sources by those of the other directory. */
  become(other: Directory): void
  /** Without the launchpads' own contracts. */
  indexed(): readonly IndexedSource[]
}

/** A query for logs: of `addresses`, those with one of `topics` first; of the others, those that match the address's own topics. */
export interface LogParts {
  readonly addresses: readonly Address[]
  readonly topics: readonly Hex[]
  readonly filtered: readonly { readonly address: Address; readonly topics: LogTopics }[]
}

const ADDRESS_LENGTH = 42
const POOL_ID_LENGTH = 66

/** Holds an entry per token and pool in memory: the next block may have a log of any of them. */
export function createDirectory(adapters: readonly LaunchpadAdapter[], indexed: readonly IndexedSource[]): Directory {
  const sources = new Map<Hex, LogSource>()
  for (const { launchpad, contracts, quotePool } of adapters) {
    for (const { address, role } of contracts) sources.set(address, { role, launchpad })
    if (quotePool !== undefined) sources.set(quotePool.key, quotePool.source)
  }
  const contracts = [...sources.keys()].filter(isAddress)
  const poolManagers = contracts.filter(address => adapters.some(adapter => isPoolManager(adapter, address)))
  const topics = new Set([TRANSFER_TOPIC, ...adapters.flatMap(({ decodedTopics }) => [...decodedTopics])])
  const understood = new Set([...topics, ...(poolManagers.length === 0 ? [] : V4_TOPICS)])
  const discoveryTopics = new Set(adapters.flatMap(adapter => [...adapter.discoveryTopics]))
  const narrowedTopics = topicsByContract(adapters)
  /** The block that added each source, the launchpads' contracts left out. */
  const blocks = new Map<Hex, number>()
  const add = ({ key, source, block }: IndexedSource) => {
    if (sources.has(key)) return
    sources.set(key, source)
    blocks.set(key, block)
  }
  for (const one of indexed) add(one)
  const indexedUpTo = (last: number) =>
    [...blocks].flatMap(([key, block]): readonly IndexedSource[] => {
      const source = sources.get(key)
      return source === undefined || block > last ? [] : [{ key, source, block }]
    })

  const mayDiscover = ({ topics }: ChainLog) => discoveryTopics.has(topics[0] ?? '0x')

  const discoveries = (logs: readonly ChainLog[], pending: readonly IndexedSource[] = []) => {
    const found = new Map<Hex, IndexedSource>()
    const earlier = new Map(pending.map(({ key, source }) => [key, source]))
    const lookup = (key: Hex) => sources.get(key) ?? earlier.get(key) ?? found.get(key)?.source
    const blocksToSearch = new Set(logs.filter(mayDiscover).map(({ blockNumber }) => blockNumber))
    const logsToSearch = logs.filter(({ blockNumber }) => blocksToSearch.has(blockNumber))
    for (const [block, blockLogs] of Map.groupBy(logsToSearch, ({ blockNumber }) => blockNumber)) {
      // A source that the block adds may add others in the same block, in earlier logs as well.
      for (let before = -1; before < found.size; ) {
        before = found.size
        for (const adapter of adapters) {
          for (const { key, source } of adapter.discover(blockLogs, lookup)) {
            if (lookup(key) === undefined && isOwn(source, lookup)) found.set(key, { key, source, block })
          }
        }
      }
    }
    return [...found.values()]
  }

  const discover = (logs: readonly ChainLog[]) => {
    if (!logs.some(mayDiscover)) return []
    const keys = discoveries(logs).map(({ key }) => key)
    const found = new Set(keys.filter(key => isAddress(key) || isPoolId(key)))
    const ofUnknown = logs.filter(log => mayDiscover(log) && !sources.has(log.address) && !found.has(log.address))
    for (const adapter of ofUnknown.length === 0 ? [] : adapters) {
      for (const address of adapter.discoverFromUnknown?.(ofUnknown) ?? []) if (!sources.has(address)) found.add(address)
    }
    return [...found]
  }

  return {
    contracts,
    startBlock: Math.min(...adapters.map(adapter => adapter.startBlock)),
    has: address => sources.has(address),
    addresses: () => [...sources.keys()].filter(isAddress),
    lookup: key => sources.get(key),
    poolIds: () => [...sources].flatMap(([key, source]) => (isUniswapV4Pool(source) ? [key] : [])),
    isUnderstood: topic => topic !== undefined && understood.has(topic),
    partsOf: keys => {
      const ids = keys.filter(isPoolId)
      const addresses = keys.filter(isAddress).filter(address => !poolManagers.includes(address))
      const ofPools = ids.length === 0 ? [] : poolManagers.map(address => ({ address, topics: [V4_TOPICS, ids] }))
      const ofContracts = addresses.flatMap(address => {
        const topics = narrowedTopics.get(address)
        return topics === undefined ? [] : [{ address, topics }]
      })
      return {
        addresses: addresses.filter(address => !narrowedTopics.has(address)),
        topics: [...topics],
        filtered: [...ofPools, ...ofContracts],
      }
    },
    discover,
    discoveries,
    add: (found, block) => {
      for (const one of found) add({ ...one, block })
    },
    upTo: block => createDirectory(adapters, indexedUpTo(block)),
    become: other => {
      for (const key of blocks.keys()) sources.delete(key)
      blocks.clear()
      for (const one of other.indexed()) add(one)
    },
    indexed: () => indexedUpTo(Number.POSITIVE_INFINITY),
  }
}

function isPoolManager({ contracts }: LaunchpadAdapter, address: Address): boolean {
  return contracts.some(contract => contract.address === address && contract.role === 'poolManager')
}

/** Contracts of which only some logs matter to every launchpad that uses them. */
function topicsByContract(adapters: readonly LaunchpadAdapter[]): ReadonlyMap<Address, LogTopics> {
  const byAddress = Map.groupBy(
    adapters.flatMap(({ contracts }) => contracts),
    ({ address }) => address,
  )
  return new Map(
    [...byAddress].flatMap(([address, uses]) => {
      const filters = uses.flatMap(({ topics }) => (topics === undefined ? [] : [topics]))
      return filters.length < uses.length ? [] : [[address, filters.reduce(unionOfTopics)] as const]
    }),
  )
}

/** Matches at least the logs that either matches. */
function unionOfTopics(some: LogTopics, others: LogTopics): LogTopics {
  const shared = some.slice(0, others.length)
  return shared.map((topics, index) => {
    const other = others[index] ?? null
    return topics === null || other === null ? null : [...new Set([...topics, ...other])]
  })
}

/** A token belongs to the launchpad that launches it first. */
function isOwn(source: LogSource, lookup: SourceLookup): boolean {
  const known = 'token' in source ? lookup(source.token) : undefined
  return known === undefined || known.launchpad === source.launchpad
}

function isAddress(key: Hex): key is Address {
  return key.length === ADDRESS_LENGTH
}

/** Also true of the key of a shared curve, for which a PoolManager has no logs. */
function isPoolId(key: Hex): boolean {
  return key.length === POOL_ID_LENGTH
}
