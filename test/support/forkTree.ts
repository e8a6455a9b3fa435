import { sql } from 'kysely'
import { claimDatabase } from '#database/chainState.ts'
import type { Queryable } from '#database/queryable.ts'
import { readSnapshots } from '#database/reads/snapshots.ts'
import { readWatchRows } from '#database/watchRows.ts'
import { createRandom, type Random } from '#devchain/traders/random.ts'
import type { Address, Hex } from '#domain/address.ts'
import type { CommittedBlock } from '#domain/committedBlock.ts'
import type { TokenSnapshot } from '#domain/token.ts'
import { liveBatch } from '#indexer/follow.ts'
import type { BlockSink } from '#indexer/ports.ts'
import { restoreDirectory } from '#indexer/restoreDirectory.ts'
import { createSink } from '#indexer/sink.ts'
import type { Directory } from '#launchpads/directory.ts'
import { createAdapters } from '#launchpads/registry.ts'
import { createChainRpc } from './chainRpc.ts'
import { silentLogger, type TestDatabase } from './database.ts'
import { dumpTables } from './indexChain.ts'
import { type RunningIndexer, runIndexer } from './indexing.ts'
import { createSimulatedChain, type SimulatedChain } from './simulatedChain.ts'
import { CLANKER_V4, CLANKER_V31 } from './simulatedClanker.ts'
import { EMPTY_MARKET, FACTORY, type Market, tradeBlock, WETH } from './simulatedLaunchpad.ts'

export const MAX_REORG_DEPTH = 64
const START_BLOCK = 1
const LAUNCHPADS = [
  { name: 'reference', adapter: 'bonding-curve', startBlock: START_BLOCK, contracts: { factory: FACTORY } },
  { name: 'clanker', adapter: 'clanker-v3.1', startBlock: START_BLOCK, contracts: CLANKER_V31 },
  { name: 'clanker4', adapter: 'clanker-v4', startBlock: START_BLOCK, contracts: CLANKER_V4 },
]
const LONGEST_MS = 20_000

export interface OpenedIndex {
  readonly sink: BlockSink
  readonly directory: Directory
}

/** The write path over a database, as a process builds it when it starts. */
export async function openIndex(database: TestDatabase, chain: SimulatedChain, maxReorgDepth = MAX_REORG_DEPTH): Promise<OpenedIndex> {
  const identity = { chainId: 1, genesisHash: chain.at(0).header.hash, weth: WETH, launchpads: LAUNCHPADS }
  await claimDatabase(database.kysely, identity, 'test')
  const adapters = createAdapters({ weth: WETH, launchpads: LAUNCHPADS })
  const directory = restoreDirectory(adapters, await readWatchRows(database.kysely))
  const sink = createSink({
    transaction: work => database.orm.em.fork().transactional(em => work(em.getKysely<unknown>() as Queryable)),
    chainId: 1,
    writer: 'test',
    weth: WETH,
    adapters,
    directory,
    maxReorgDepth,
    ethUsd: () => null,
    now: () => 0,
    logger: silentLogger,
  })
  return { sink, directory }
}

/** Commits the canonical chain up to a block, as one range. */
export async function indexAtOnce(database: TestDatabase, chain: SimulatedChain, to: number): Promise<void> {
  const { sink, directory } = await openIndex(database, chain)
  const announced = new Set<Address>()
  const blocks = Array.from({ length: to - START_BLOCK + 1 }, (_, index) => liveBatch(chain.at(START_BLOCK + index), directory, announced))
  await sink.commit({
    from: START_BLOCK,
    to: chain.at(to).header,
    headers: blocks.flatMap(({ headers }) => headers),
    logs: blocks.flatMap(({ logs }) => logs),
    live: false,
  })
}

/** A chain that forks at random, and what is mined on it. */
export interface ForkingChain {
  readonly chain: SimulatedChain
  readonly depths: number[]
  mine(count: number): void
  /** Replaces the newest blocks, at most so many. */
  fork(depth: number, grown: number): void
}

export function createForkingChain(random: Random): ForkingChain {
  const chain = createSimulatedChain({ genesisTimestamp: 1_700_000_000 })
  const markets = new Map<Hex, Market>([[chain.head().header.hash, EMPTY_MARKET]])
  const depths: number[] = []
  let highest = 0
  const mine = (count: number) => {
    for (let mined = 0; mined < count; mined++) {
      const { logs, market } = tradeBlock(markets.get(chain.head().header.hash) ?? EMPTY_MARKET, random)
      const block = chain.mine(logs, Math.round(random.spread(1, 4_000)))
      markets.set(block.header.hash, market)
    }
    highest = Math.max(highest, chain.head().header.number)
  }
  return {
    chain,
    depths,
    mine,
    fork: (depth, grown) => {
      const head = chain.head().header.number
      // Not below what must be undoable however far indexing has come, nor below the first block.
      const dropped = Math.min(depth, head - Math.max(START_BLOCK, highest - MAX_REORG_DEPTH))
      if (dropped < 1) return
      depths.push(dropped)
      chain.drop(dropped)
      mine(Math.max(1, dropped + grown))
    },
  }
}

export interface TreeOutcome {
  /** What went wrong; empty: nothing. */
  readonly swapped: number
  readonly deepest: number
  readonly restarts: number
}

/** Grows and indexes one random tree, with restarts, and throws when anything differs from a fresh index of its last chain. */
export async function growTree(
  seed: number,
  indexed: TestDatabase,
  fresh: TestDatabase,
  expectEqual: (a: unknown, b: unknown) => void,
): Promise<TreeOutcome> {
  await indexed.clear()
  await fresh.clear()
  const random = createRandom(seed)
  const confirmations = random.weighted([3, 1, 1])
  const forking = createForkingChain(random)
  const { chain } = forking
  let restarts = 0
  let swapped = 0
  let deepest = 0
  /** What happens after so many more questions to the provider. */
  let armed: { left: number; happen(): void } | null = null
  const rpc = createChainRpc([chain], {
    intercept: (_provider, _call, answer) => {
      if (armed !== null && armed.left-- === 0) {
        const { happen } = armed
        armed = null
        happen()
      }
      return answer()
    },
  })
  const depth = () =>
    [random.integer(1, 4), random.integer(5, 16), random.integer(17, MAX_REORG_DEPTH)][
      random.weighted(chain.head().header.number > 40 ? [4, 4, 4] : [12, 5, 1])
    ] ?? 1
  const reorg = () => forking.fork(depth(), random.integer(-3, 4))

  const client = createClient()
  let index = await openIndex(indexed, chain)
  let running = start()
  function start(): RunningIndexer {
    const started = runIndexer({
      rpc,
      index: { sink: index.sink, watchlist: index.directory },
      confirmations,
      maxReorgDepth: MAX_REORG_DEPTH,
    })
    started.indexer.blocks.subscribe(block => client.take(block))
    return started
  }
  const stop = async () => {
    const { count, lastDepth } = running.indexer.view.state().reorgs
    swapped += count
    deepest = Math.max(deepest, lastDepth ?? 0)
    await running.indexer.stop()
  }
  /** It may be further than what is confirmed: a fork may be shorter than what it replaces. */
  const isAsFar = (cursor: Cursor | null) => {
    const head = chain.head().header.number
    if (head - confirmations < START_BLOCK) return true
    if (cursor === null || cursor.number < head - confirmations || cursor.number > head) return false
    return chain.at(cursor.number).header.hash === cursor.hash
  }
  const caughtUp = async () => {
    const deadline = performance.now() + LONGEST_MS
    for (let round = 1; ; round++) {
      const { stalled, reason } = running.indexer.view.state()
      if (stalled || performance.now() > deadline)
        throw new Error(`${reason ?? 'not caught up in time'}: ${JSON.stringify(running.log.lines().at(-1))}`)
      await running.hint()
      if (isAsFar(client.newest())) return
      // What a stop cut off is committed and never told.
      if (round % 20 === 0 && isAsFar(await cursorOf(indexed.kysely))) return
    }
  }

  try {
    // Some begin with a backfill.
    forking.mine(random.chance(0.1) ? random.integer(66, 80) : random.integer(2, 12))
    for (let step = random.integer(2, 5); step > 0; step--) {
      switch (random.weighted([3, 5, 2, 2])) {
        case 0:
          forking.mine(random.integer(1, 6))
          break
        case 1:
          reorg()
          break
        case 2:
          reorg()
          armed = { left: random.integer(0, 12), happen: reorg }
          break
        default:
          await running.hint()
          await stop()
          if (random.chance(0.6)) reorg()
          index = await openIndex(indexed, chain)
          client.reconnect()
          running = start()
          restarts++
      }
      if (random.chance(0.8)) await caughtUp()
    }
    armed = null
    forking.mine(confirmations + 1)
    await caughtUp()
    await running.settle()
  } finally {
    await stop()
  }

  await indexAtOnce(fresh, chain, (await cursorOf(indexed.kysely))?.number ?? START_BLOCK)
  expectEqual(await dumpTables(indexed.kysely), await dumpTables(fresh.kysely))
  const restored = restoreDirectory(createAdapters({ weth: WETH, launchpads: LAUNCHPADS }), await readWatchRows(indexed.kysely))
  expectEqual(index.directory.addresses().toSorted(), restored.addresses().toSorted())
  const held = [...client.held.keys()].toSorted()
  expectEqual(
    held.map(token => client.held.get(token)),
    (await readSnapshots(indexed.kysely, { chainId: 1, addresses: held })).toSorted((a, b) => (a.token.address < b.token.address ? -1 : 1)),
  )
  return { swapped, deepest, restarts }
}

/** Watches every token and checks that each one's sequence rises, whatever happens to it. */
function createClient() {
  let newest: Cursor | null = null
  const held = new Map<Address, TokenSnapshot>()
  const sequences = new Map<Address, number>()
  return {
    held,
    newest: () => newest,
    take: (block: CommittedBlock) => {
      newest = block
      for (const snapshot of block.tokens) {
        const { address, sequence } = snapshot.token
        if (sequence <= (sequences.get(address) ?? 0)) throw new Error(`sequence ${sequence} of ${address} does not rise`)
        sequences.set(address, sequence)
        held.set(address, snapshot)
      }
      for (const address of [...block.unread, ...block.dropped]) held.delete(address)
    },
    reconnect: () => held.clear(),
  }
}

type Cursor = Pick<CommittedBlock, 'number' | 'hash'>

async function cursorOf(db: Queryable): Promise<Cursor | null> {
  const { rows } = await sql<{ number: string | null; hash: Buffer }>`
    select cursor_number as number, cursor_hash as hash from chain_state`.execute(db)
  const [row] = rows
  return row === undefined || row.number === null ? null : { number: Number(row.number), hash: `0x${row.hash.toString('hex')}` }
}
