import type { Address, Hex } from '#domain/address.ts'
import type { BlockHeader, ChainLog } from '#domain/block.ts'
import { comparePlaces } from '#domain/eventPlace.ts'
import { TokenwireError } from '#errors'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import type { Committer } from '#sync/committer.ts'
import type { Watchlist } from '#sync/prefetch.ts'
import { type Commit, extendChain, type FetchedBatch, type LocalChain, type ProjectedBatch, type Replacement } from '#sync/state.ts'
import type { BlockRow } from '#tables/block.ts'
import { NO_CHANGES } from '#test/support/noChanges.ts'

export interface MemoryIndex {
  readonly committer: Committer
  readonly watchlist: Watchlist
  /** All commits in order. */
  readonly logs: ChainLog[]
  readonly batches: FetchedBatch[]
  cursor(): number | null
  /** The settled blocks. */
  readonly settled: number[]
  /** Called before each commit with its last block; throwing fails the commit. `after`: the commit is done and its answer lost. */
  fail(decide: (commit: { readonly to: BlockHeader }) => { readonly when: 'before' | 'after'; readonly error: unknown } | undefined): void
  /** A new committer over the same rows, as after a restart. */
  reopen(): MemoryIndex
}

export interface MemoryIndexOptions {
  readonly contracts: readonly Address[]
  readonly startBlock?: number
}

interface Stored {
  local: LocalChain
  /** Blocks that were committed together with their next block. */
  readonly mergedWithNext: Set<Hex>
  readonly watched: Set<Address>
  readonly logs: ChainLog[]
  readonly batches: FetchedBatch[]
  readonly settled: number[]
}

/**
 * A `Committer` and its `Watchlist` in memory. A contract's log announces the address in the last 20 bytes of its data. It rejects invalid
 * batches: those that do not follow the cursor, unordered or unwatched logs, headers that do not link up.
 */
export function createMemoryIndex({ contracts, startBlock = 0 }: MemoryIndexOptions): MemoryIndex {
  return open(
    { local: [], mergedWithNext: new Set(), watched: new Set(contracts), logs: [], batches: [], settled: [] },
    contracts,
    startBlock,
  )
}

function open(stored: Stored, contracts: readonly Address[], startBlock: number): MemoryIndex {
  let decide: Parameters<MemoryIndex['fail']>[0] = () => undefined
  const discover = (logs: readonly ChainLog[]) =>
    [...new Set(logs.flatMap(log => announced(log, contracts)))].filter(one => !stored.watched.has(one))
  const fetched = new WeakMap<ProjectedBatch, FetchedBatch>()

  const commitBatch = (batch: FetchedBatch): void => {
    check(batch, stored, discover(batch.logs), startBlock)
    for (const address of discover(batch.logs)) stored.watched.add(address)
    stored.logs.push(...batch.logs)
    stored.batches.push(batch)
    stored.local = batch.blocks.reduce((local, block) => extendChain(local, block), stored.local)
    for (const { hash } of batch.blocks.slice(0, -1)) stored.mergedWithNext.add(hash)
  }

  const replace = ({ ancestor, batches }: Replacement): void => {
    const last = stored.local.findIndex(({ hash }) => hash === ancestor?.hash)
    if (ancestor === null ? stored.local[0]?.number !== startBlock : last === -1 || stored.mergedWithNext.has(ancestor.hash))
      throw new TokenwireError('config_invalid', 'the committer was given an ancestor to which it can not go back')
    stored.local = stored.local.slice(0, last + 1)
    const kept = stored.logs.filter(({ blockNumber }) => blockNumber <= (ancestor?.number ?? startBlock - 1))
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

  const settle = ({ number, hash }: BlockHeader): void => {
    if (stored.local.at(-1)?.hash !== hash)
      throw new TokenwireError('rpc_inconsistent', 'the committer was to settle another block than the last one')
    stored.settled.push(number)
  }

  const commit = async (commit: Commit): Promise<CommittedBlock> => {
    await Promise.resolve()
    const failure = commit.kind === 'settle' ? undefined : decide(commit)
    if (failure?.when === 'before') throw failure.error
    if (commit.kind === 'settle') settle(commit.to)
    else if (stored.local.at(-1)?.hash !== commit.to.hash) {
      if (commit.kind === 'replace') replace(commit.replacement)
      else commitBatch(fetched.get(commit.batch) ?? refuse('a batch that it has not prepared'))
    }
    if (failure?.when === 'after') throw failure.error
    const { number, hash, timestamp } = commit.to
    return { number, hash, timestamp, completedAtMs: 0, tokens: [], unread: [], dropped: [] }
  }

  const watchlist: Watchlist = {
    startBlock,
    has: address => stored.watched.has(address),
    isUnderstood: () => true,
    partsOf: keys => ({ addresses: new Set(keys as readonly Address[]) }),
    partsWith: keys => ({ addresses: new Set([...stored.watched, ...(keys as readonly Address[])]) }),
    discover,
    // An address is announced for ever: logs of the replaced blocks' addresses are kept, too.
    upTo: () => watchlist,
  }
  return {
    committer: {
      recentBlocks: async () =>
        stored.local.map((block): BlockRow => ({ ...block, revaluedTo: null, mergedWithNext: stored.mergedWithNext.has(block.hash) })),
      prepare: async batch => {
        const projected = projectedBatch(batch)
        fetched.set(projected, batch)
        return projected
      },
      commit,
    },
    watchlist,
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

/** A projected batch that changes nothing. */
export function projectedBatch({ logs, headers: _, announced: __, ...blocks }: FetchedBatch): ProjectedBatch {
  return {
    ...blocks,
    logCount: logs.length,
    discoveries: [],
    follows: blocks.first.parentHash,
    before: { tokens: new Map(), balances: new Map() },
    changes: NO_CHANGES,
    contracts: [],
    revaluedTo: null,
  }
}

function announced({ address, data }: ChainLog, contracts: readonly Address[]): Address[] {
  return contracts.includes(address) && data.length >= 66 ? [`0x${data.slice(-40)}` as Address] : []
}

function refuse(what: string): never {
  throw new TokenwireError('config_invalid', `the committer was given ${what}`)
}

function check(batch: FetchedBatch, stored: Stored, added: readonly Address[], startBlock: number): void {
  const cursor = stored.local.at(-1)
  const { mode, from, first, to, blocks } = batch
  if (from !== (cursor === undefined ? startBlock : cursor.number + 1)) refuse(`block ${from} after block ${cursor?.number}`)
  if (from > to.number || first.number !== from) refuse('a batch that does not begin with its first block')
  if (cursor !== undefined && first.parentHash !== cursor.hash) refuse('a batch of another parent')
  if (blocks.at(-1)?.hash !== to.hash) refuse('other blocks than its own')
  if (mode !== 'range') {
    if (blocks[0]?.number !== from || blocks.length !== to.number - from + 1) refuse('other blocks than its own')
    if (blocks.slice(1).some(({ parentHash }, index) => parentHash !== blocks[index]?.hash)) refuse('blocks that do not link up')
  }
  const watched = new Set([...stored.watched, ...added])
  const hashes = new Map(batch.headers.map(({ number, hash }) => [number, hash]))
  const bearing = [...new Set(batch.logs.map(({ blockNumber }) => blockNumber))]
  if (bearing.join() !== batch.headers.map(({ number }) => number).join()) refuse('headers of other blocks than those with logs')
  let before: ChainLog | undefined
  for (const log of batch.logs) {
    if (!watched.has(log.address)) refuse('a log of an unwatched address')
    if (log.blockNumber < from || log.blockNumber > to.number) refuse('a log outside the batch')
    if (hashes.get(log.blockNumber) !== log.blockHash) refuse('a log of another block')
    if (before !== undefined && comparePlaces(before, log) >= 0) refuse('logs out of order')
    before = log
  }
}

/** The logs that an index of the whole chain has: of the contracts, and of announced addresses from the announcing block on. */
export function watchedLogs(all: readonly ChainLog[], contracts: readonly Address[]): readonly ChainLog[] {
  const since = new Map<Address, number>(contracts.map(contract => [contract, 0]))
  for (const log of all) for (const address of announced(log, contracts)) if (!since.has(address)) since.set(address, log.blockNumber)
  return all.filter(({ address, blockNumber }) => blockNumber >= (since.get(address) ?? Number.POSITIVE_INFINITY))
}
