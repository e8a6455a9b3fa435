import type { Address, Hex } from '#domain/address.ts'
import type { BlockHeader, ChainLog } from '#domain/block.ts'
import type { CommittedBlock } from '#domain/committedBlock.ts'
import { TokenwireError } from '#errors'
import { extendChain, type LocalChain } from '#sync/localChain.ts'
import { type BlockBatch, type BlockSink, endOf, type Replacement, type Watchlist } from '#sync/ports.ts'

export interface MemoryIndex {
  readonly sink: BlockSink
  readonly watchlist: Watchlist
  /** Everything that is committed, in the order of the commits. */
  readonly logs: ChainLog[]
  readonly batches: BlockBatch[]
  cursor(): number | null
  /** The blocks that were settled. */
  readonly settled: number[]
  /** Called before each commit; what it throws fails the commit. `after`: the batch is in and the answer is lost. */
  fail(decide: (batch: BlockBatch) => { readonly when: 'before' | 'after'; readonly error: unknown } | undefined): void
  /** A second sink over the same rows, as after a restart. */
  reopen(): MemoryIndex
}

export interface MemoryIndexOptions {
  readonly contracts: readonly Address[]
  readonly startBlock?: number
}

interface Stored {
  local: LocalChain
  /** Blocks that were committed together with the one after them. */
  readonly joined: Set<Hex>
  readonly watched: Set<Address>
  readonly logs: ChainLog[]
  readonly batches: BlockBatch[]
  readonly settled: number[]
}

/**
 * A `BlockSink` and its `Watchlist` in memory. A log of a contract announces the address in the last 20 bytes of its data. It refuses
 * what no sink must ever be given: a batch that does not follow on the cursor, unordered or unwatched logs, headers that do not fit.
 */
export function createMemoryIndex({ contracts, startBlock = 0 }: MemoryIndexOptions): MemoryIndex {
  return open({ local: [], joined: new Set(), watched: new Set(contracts), logs: [], batches: [], settled: [] }, contracts, startBlock)
}

function open(stored: Stored, contracts: readonly Address[], startBlock: number): MemoryIndex {
  let decide: Parameters<MemoryIndex['fail']>[0] = () => undefined
  const discover = (logs: readonly ChainLog[]) =>
    [...new Set(logs.flatMap(log => announced(log, contracts)))].filter(one => !stored.watched.has(one))

  const commit = async (batch: BlockBatch): Promise<CommittedBlock> => {
    await Promise.resolve()
    const failure = decide(batch)
    if (failure?.when === 'before') throw failure.error
    const cursor = stored.local.at(-1)
    if (cursor?.hash !== batch.to.hash) {
      check(batch, stored, discover(batch.logs), startBlock)
      for (const address of discover(batch.logs)) stored.watched.add(address)
      stored.logs.push(...batch.logs)
      stored.batches.push(batch)
      const { blocks = [batch.to] } = batch
      stored.local = blocks.reduce((local, block) => extendChain(local, block), stored.local)
      for (const { hash } of blocks.slice(0, -1)) stored.joined.add(hash)
    }
    if (failure?.when === 'after') throw failure.error
    const { number, hash, timestamp } = batch.to
    return { number, hash, timestamp, completedAtMs: 0, tokens: [], unread: [], dropped: [] }
  }

  const swap = async (replacement: Replacement): Promise<CommittedBlock> => {
    await Promise.resolve()
    const { ancestor, batches } = replacement
    const to = endOf(replacement)
    const stays = ancestor?.number ?? startBlock - 1
    const failure = decide({ from: stays + 1, to, headers: [], logs: [], live: true })
    if (failure?.when === 'before') throw failure.error
    if (stored.local.at(-1)?.hash !== to.hash) {
      const last = stored.local.findIndex(({ hash }) => hash === ancestor?.hash)
      if (ancestor === null ? stored.local[0]?.number !== startBlock : last === -1 || stored.joined.has(ancestor.hash))
        throw new TokenwireError('config_invalid', 'the sink was given an ancestor to which it can not go back')
      stored.local = stored.local.slice(0, last + 1)
      const kept = stored.logs.filter(({ blockNumber }) => blockNumber <= stays)
      stored.logs.splice(0, stored.logs.length, ...kept)
      stored.watched.clear()
      for (const address of [...contracts, ...kept.flatMap(log => announced(log, contracts))]) stored.watched.add(address)
      for (const batch of batches) {
        for (const address of discover(batch.logs)) stored.watched.add(address)
        const logs = batch.logs.filter(({ address }) => stored.watched.has(address))
        const headers = logs.length === 0 ? [] : batch.headers
        check({ ...batch, logs, headers }, stored, [], startBlock)
        stored.logs.push(...logs)
        stored.batches.push(batch)
        stored.local = extendChain(stored.local, batch.to)
      }
    }
    if (failure?.when === 'after') throw failure.error
    const { number, hash, timestamp } = to
    return { number, hash, timestamp, completedAtMs: 0, tokens: [], unread: [], dropped: [] }
  }

  const settle = async ({ number, hash, timestamp }: BlockHeader): Promise<CommittedBlock> => {
    if (stored.local.at(-1)?.hash !== hash)
      throw new TokenwireError('rpc_inconsistent', 'the sink was to settle another block than the last one')
    stored.settled.push(number)
    return { number, hash, timestamp, completedAtMs: 0, tokens: [], unread: [], dropped: [] }
  }

  return {
    sink: {
      recentBlocks: async () => stored.local.map(block => ({ ...block, joined: stored.joined.has(block.hash) })),
      commit,
      swap,
      settle,
    },
    watchlist: {
      contracts,
      startBlock,
      has: address => stored.watched.has(address),
      addresses: () => [...stored.watched],
      discover,
    },
    logs: stored.logs,
    batches: stored.batches,
    settled: stored.settled,
    cursor: () => stored.local.at(-1)?.number ?? null,
    fail: next => {
      decide = next
    },
    reopen: () => open(stored, contracts, startBlock),
  }
}

function announced({ address, data }: ChainLog, contracts: readonly Address[]): Address[] {
  return contracts.includes(address) && data.length >= 66 ? [`0x${data.slice(-40)}` as Address] : []
}

function check(batch: BlockBatch, stored: Stored, added: readonly Address[], startBlock: number): void {
  const refuse = (what: string): never => {
    throw new TokenwireError('config_invalid', `the sink was given ${what}`)
  }
  const cursor = stored.local.at(-1)
  if (batch.from !== (cursor === undefined ? startBlock : cursor.number + 1)) refuse(`block ${batch.from} after block ${cursor?.number}`)
  if (batch.from > batch.to.number) refuse('a batch that ends before it begins')
  const { blocks } = batch
  if (blocks !== undefined) {
    if (blocks[0]?.number !== batch.from || blocks.at(-1) !== batch.to || blocks.length !== batch.to.number - batch.from + 1)
      refuse('other blocks than its own')
    const parents = [cursor, ...blocks]
    if (blocks.some(({ parentHash }, index) => parentHash !== (parents[index]?.hash ?? parentHash))) refuse('blocks that do not link up')
  }
  if (batch.from === batch.to.number && cursor !== undefined && batch.to.parentHash !== cursor.hash) refuse('a block of another parent')
  const watched = new Set([...stored.watched, ...added])
  const hashes = new Map(batch.headers.map(({ number, hash }) => [number, hash]))
  const bearing = [...new Set(batch.logs.map(({ blockNumber }) => blockNumber))]
  if (bearing.join() !== batch.headers.map(({ number }) => number).join()) refuse('headers of other blocks than those with logs')
  let before: ChainLog | undefined
  for (const log of batch.logs) {
    if (!watched.has(log.address)) refuse('a log that nobody watches')
    if (log.blockNumber < batch.from || log.blockNumber > batch.to.number) refuse('a log outside the batch')
    if (hashes.get(log.blockNumber) !== log.blockHash) refuse('a log of another block')
    if (before !== undefined && (before.blockNumber - log.blockNumber || before.logIndex - log.logIndex) >= 0) refuse('logs out of order')
    before = log
  }
}

/** The logs that an index of the whole chain holds: those of the contracts, and those of what they announce from the announcing block on. */
export function watchedLogs(all: readonly ChainLog[], contracts: readonly Address[]): readonly ChainLog[] {
  const since = new Map<Address, number>(contracts.map(contract => [contract, 0]))
  for (const log of all) for (const address of announced(log, contracts)) if (!since.has(address)) since.set(address, log.blockNumber)
  return all.filter(({ address, blockNumber }) => blockNumber >= (since.get(address) ?? Number.POSITIVE_INFINITY))
}
