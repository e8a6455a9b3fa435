import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { joinedKeys, type KeySet } from '#domain/maps.ts'
import type { LaunchpadAdapter, LogTopics } from '#launchpads/adapter.ts'
import type { DiscoveredSource, IndexedSource, LogSource, SourceLookup } from '#launchpads/logSource.ts'
import { TRANSFER_TOPIC } from '#launchpads/maker.ts'
import { V4_TOPICS } from '#launchpads/pools/uniswapV4.ts'
import { KnownSources } from './knownSources.ts'

/**
 * The sources of logs: the launchpads' contracts and the pools of quote currencies from the start, and the tokens, pools and positions that
 * their logs have added.
 */
export interface SourceDirectory {
  has(address: Address): boolean
  /** As `SourceLookup`. */
  lookup(key: Hex): LogSource | undefined
  /** A contract that the launchpad's entry names. Other entries may name it, too. */
  contractOf(launchpad: string, address: Address): LogSource | undefined
  /** Whether logs with this first topic are decoded, whatever their emitter. */
  isUnderstood(topic: Hex | undefined): boolean
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
}

/** The directory of all that is indexed. */
export interface Directory extends SourceDirectory {
  /** The first block to index. */
  readonly startBlock: number
  /** Which logs to fetch for these addresses and pool ids. */
  partsOf(keys: readonly Hex[]): LogParts
  /** Which logs to fetch for all sources, and for these addresses and pool ids. */
  partsWith(keys: readonly Hex[]): LogParts
  /** The directory as it was after this block. Sources added to the branch stay out of this directory. */
  upTo(block: number): DirectoryBranch
  /** Replaces the sources of blocks after `branch.upTo` by the sources that were added to the branch. */
  become(branch: DirectoryBranch): void
}

/** The sources up to a block, and those of the blocks that are to replace the ones after it. */
export interface DirectoryBranch extends SourceDirectory {
  readonly upTo: number
  added(): Iterable<IndexedSource>
}

/**
 * A query for logs: logs of `addresses` whose first topic is in `topics`, and logs of `filtered` contracts that match the contract's own
 * topics.
 */
export interface LogParts {
  readonly addresses: KeySet<Address>
  readonly topics: readonly Hex[]
  readonly filtered: readonly FilteredContract[]
}

interface FilteredContract {
  readonly address: Address
  /** The last list may be long. */
  readonly topics: readonly (LogTopics[number] | KeySet<Hex>)[]
}

const ADDRESS_LENGTH = 42
const POOL_ID_LENGTH = 66

/** The contracts that each launchpad's entry names. */
function contractsByLaunchpad(adapters: readonly LaunchpadAdapter[]): ReadonlyMap<string, ReadonlyMap<Hex, LogSource>> {
  return new Map(adapters.map(adapter => [adapter.launchpad, configuredSources([adapter])]))
}

/** The launchpads' own contracts, and the pools of quote currencies. */
export function configuredSources(adapters: readonly LaunchpadAdapter[]): ReadonlyMap<Hex, LogSource> {
  const sources = new Map<Hex, LogSource>()
  for (const { launchpad, contracts, quotePool } of adapters) {
    for (const { address, role } of contracts) sources.set(address, { role, launchpad })
    if (quotePool !== undefined) sources.set(quotePool.key, quotePool.source)
  }
  return sources
}

/**
 * Holds every token and pool in memory: the next block may have a log of any of them.
 *
 * @param known the indexed sources, without the configured ones. The directory owns it from then on. Default: nothing is indexed
 */
export function createDirectory(adapters: readonly LaunchpadAdapter[], known = new KnownSources()): Directory {
  const configured = configuredSources(adapters)
  const contracts = [...configured.keys()].filter(isAddress)
  const poolManagers = contracts.filter(address => adapters.some(adapter => isPoolManager(adapter, address)))
  const topics = new Set([TRANSFER_TOPIC, ...adapters.flatMap(({ decodedTopics }) => [...decodedTopics])])
  const understood = new Set([...topics, ...(poolManagers.length === 0 ? [] : V4_TOPICS)])
  const narrowedTopics = topicsByContract(adapters)
  const isWhole = (address: Address) => !poolManagers.includes(address) && !narrowedTopics.has(address)
  const lookup = (key: Hex) => configured.get(key) ?? known.get(key)
  const isUnderstood = (topic: Hex | undefined) => topic !== undefined && understood.has(topic)

  const partsFor = (addresses: KeySet<Address>, ids: KeySet<Hex>, narrowed: readonly Address[]): LogParts => {
    const ofPools = ids.size === 0 ? [] : poolManagers.map(address => ({ address, topics: [V4_TOPICS, ids] }))
    const ofContracts = narrowed.flatMap(address => {
      const topics = narrowedTopics.get(address)
      return topics === undefined ? [] : [{ address, topics }]
    })
    return { addresses, topics: [...topics], filtered: [...ofPools, ...ofContracts] }
  }

  return {
    startBlock: Math.min(...adapters.map(adapter => adapter.startBlock)),
    ...sourceDirectory(adapters, lookup, known.put.bind(known)),
    isUnderstood,
    partsOf: keys => {
      const addresses = keys.filter(isAddress)
      return partsFor(new Set(addresses.filter(isWhole)), new Set(keys.filter(isPoolId)), addresses)
    },
    partsWith: keys => {
      const fresh = keys.filter(key => lookup(key) === undefined)
      const addresses = new Set([...contracts.filter(isWhole), ...fresh.filter(isAddress)])
      const ids = new Set(fresh.filter(isPoolId))
      return partsFor(joinedKeys(addresses, known.addresses()), joinedKeys(ids, known.poolIds()), contracts)
    },
    upTo: block => {
      const added = new Map<Hex, IndexedSource>()
      const lookupUpTo = (key: Hex) => configured.get(key) ?? known.get(key, block) ?? added.get(key)?.source
      return {
        upTo: block,
        added: () => added.values(),
        isUnderstood,
        ...sourceDirectory(adapters, lookupUpTo, one => added.set(one.key, one)),
      }
    },
    become: branch => {
      known.forgetAfter(branch.upTo)
      for (const one of branch.added()) known.put(one)
    },
  }
}

/** The methods of a directory that need only a lookup of sources and a way to add one. */
function sourceDirectory(
  adapters: readonly LaunchpadAdapter[],
  lookup: SourceLookup,
  put: (source: IndexedSource) => void,
): Omit<SourceDirectory, 'isUnderstood'> {
  const contracts = contractsByLaunchpad(adapters)
  const discoveryTopics = new Set(adapters.flatMap(adapter => [...adapter.discoveryTopics]))
  const mayDiscover = ({ topics }: ChainLog) => discoveryTopics.has(topics[0] ?? '0x')

  const discoveries = (logs: readonly ChainLog[], pending: readonly IndexedSource[] = []) => {
    const found = new Map<Hex, IndexedSource>()
    const earlier = new Map(pending.map(({ key, source }) => [key, source]))
    const lookupHere = (key: Hex) => lookup(key) ?? earlier.get(key) ?? found.get(key)?.source
    const blocksToSearch = new Set(logs.filter(mayDiscover).map(({ blockNumber }) => blockNumber))
    const logsToSearch = logs.filter(({ blockNumber }) => blocksToSearch.has(blockNumber))
    for (const [block, blockLogs] of Map.groupBy(logsToSearch, ({ blockNumber }) => blockNumber)) {
      // A source that the block adds may add others in the same block, in earlier logs as well.
      for (let before = -1; before < found.size; ) {
        before = found.size
        for (const adapter of adapters) {
          if (block < adapter.startBlock) continue
          for (const { key, source } of adapter.discover(blockLogs, lookupHere)) {
            if (lookupHere(key) === undefined && isOwn(source, lookupHere)) found.set(key, { key, source, block })
          }
        }
      }
    }
    return [...found.values()]
  }

  return {
    has: address => lookup(address) !== undefined,
    lookup,
    contractOf: (launchpad, address) => contracts.get(launchpad)?.get(address),
    discover: logs => {
      if (!logs.some(mayDiscover)) return []
      const keys = discoveries(logs).map(({ key }) => key)
      const found = new Set(keys.filter(key => isAddress(key) || isPoolId(key)))
      const ofUnknown = logs.filter(log => mayDiscover(log) && lookup(log.address) === undefined && !found.has(log.address))
      for (const adapter of ofUnknown.length === 0 ? [] : adapters) {
        for (const address of adapter.discoverFromUnknown?.(ofUnknown, logs) ?? []) if (lookup(address) === undefined) found.add(address)
      }
      return [...found]
    },
    discoveries,
    add: (found, block) => {
      for (const one of found) if (lookup(one.key) === undefined) put({ ...one, block })
    },
  }
}

function isPoolManager({ contracts }: LaunchpadAdapter, address: Address): boolean {
  return contracts.some(contract => contract.address === address && contract.role === 'poolManager')
}

/**
 * Contracts of which only some logs matter to every launchpad that uses them. Of a PoolManager, these come beside the logs of known
 * pools.
 */
function topicsByContract(adapters: readonly LaunchpadAdapter[]): ReadonlyMap<Address, LogTopics> {
  const uses = adapters.flatMap(({ contracts }) => contracts)
  const byAddress = Map.groupBy(
    uses.filter(({ role, topics }) => role !== 'poolManager' || topics !== undefined),
    ({ address }) => address,
  )
  return new Map(
    [...byAddress].flatMap(([address, uses]) => {
      const filters = uses.flatMap(({ topics }) => (topics === undefined ? [] : [topics]))
      return filters.length < uses.length ? [] : [[address, filters.reduce(unionOfTopics)] as const]
    }),
  )
}

/** A filter that matches at least the logs that either of the two matches. */
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
export function isPoolId(key: Hex): boolean {
  return key.length === POOL_ID_LENGTH
}
