import { createChainStats } from '#database/reads/chainStats.ts'
import { readSnapshots } from '#database/reads/snapshots.ts'
import { createRandom } from '#devchain/traders/random.ts'
import type { BlockSink } from '#indexer/ports.ts'
import type { ChainRpcOptions } from './chainRpc.ts'
import { createChainRpc } from './chainRpc.ts'
import { countedStats } from './countedStats.ts'
import type { TestDatabase } from './database.ts'
import { createForkingChain } from './forkingChain.ts'
import { dumpTables } from './indexChain.ts'
import { type RunningIndexer, runIndexer } from './indexing.ts'
import { createSettlingSink } from './settlingSink.ts'
import { cursorOf, indexAtOnce, isAsFar, openIndex, readDirectory } from './simulatedIndex.ts'
import { START_BLOCK } from './simulatedLaunchpad.ts'
import { createTokenWatcher } from './tokenWatcher.ts'
import { createTreeClients } from './treeClients.ts'

const DEEPEST = 64
const LONGEST_MS = 30_000
/** Ranges of a few blocks: a backfill of a few commits. */
const SMALL_RANGES = { leastBlocks: 1, mostBlocks: 6, targetLogs: 20 }

export interface TreeDatabases {
  readonly indexed: TestDatabase
  readonly fresh: TestDatabase
}

/** What a tree has seen. */
export interface TreeOutcome {
  readonly swapped: number
  readonly deepest: number
  readonly restarts: number
  /** Reorgs while ranges were being indexed. */
  readonly whileBackfilling: number
  /** Reorgs in the middle of a step. */
  readonly inTheMiddle: number
  /** Commits and swaps that were done and whose answer was lost. */
  readonly lostAnswers: number
}

/** Grows and indexes one random tree, with restarts and lost answers, and throws when anything differs from a fresh index of its last chain. */
export async function growTree(
  seed: number,
  { indexed, fresh }: TreeDatabases,
  expectEqual: (a: unknown, b: unknown) => void,
): Promise<TreeOutcome> {
  await Promise.all([indexed.clearFew(), fresh.clearFew()])
  const random = createRandom(seed)
  const confirmations = random.weighted([3, 1, 1])
  // What is followed can't be backfilled: most trees are shallow ones, which come to their backfills cheaply.
  const maxReorgDepth = random.chance(0.12) ? DEEPEST : 10
  const forking = createForkingChain(random, maxReorgDepth)
  const { chain } = forking
  // Of some trees everything is watched by one client, of the others what clients happen to watch. Their whims leave the tree as it is.
  const clients = seed % 2 === 0 ? null : createTreeClients(indexed.kysely, createRandom(seed + 4_000_003))
  const outcome = { swapped: 0, deepest: 0, restarts: 0, whileBackfilling: 0, inTheMiddle: 0, lostAnswers: 0 }
  /** What happens after so many more questions to the provider. */
  let armed: { left: number; happen(): void } | null = null
  const intercept: ChainRpcOptions['intercept'] = (_provider, _call, answer) => {
    clients?.stir()
    if (armed !== null && armed.left-- === 0) {
      const { happen } = armed
      armed = null
      happen()
    }
    return answer()
  }
  const rpc = createChainRpc([chain], { intercept })
  const depth = () =>
    [random.integer(1, 4), random.integer(5, 16), random.integer(17, DEEPEST)][
      random.weighted(chain.head().header.number > 40 ? [4, 4, 4] : [12, 5, 1])
    ] ?? 1
  const reorg = () => {
    if (running.indexer.view.state().backfill !== null) outcome.whileBackfilling++
    forking.fork(depth(), random.integer(-3, 4))
  }
  const armReorg = () => {
    armed = {
      left: random.integer(0, 12),
      happen: () => {
        outcome.inTheMiddle++
        reorg()
      },
    }
  }

  const watcher = createTokenWatcher()
  let answersToLose = 0
  const open = async () => {
    const isWatched = clients === null ? {} : { isWatched: clients.isWatched }
    const { sink, directory } = await openIndex(indexed, { genesisHash: chain.at(0).header.hash, maxReorgDepth, ...isWatched })
    const losing = async <T>(answer: Promise<T>): Promise<T> => {
      const value = await answer
      if (answersToLose === 0) return value
      answersToLose--
      outcome.lostAnswers++
      throw new Error('the connection was lost after the commit')
    }
    const lossy: BlockSink = {
      recentBlocks: sink.recentBlocks,
      commit: batch => losing(sink.commit(batch)),
      swap: replacement => losing(sink.swap(replacement)),
    }
    return { ...createSettlingSink(lossy), directory }
  }
  let index = await open()
  let running = start()
  function start(): RunningIndexer {
    const started = runIndexer({
      rpc,
      index: { sink: index.sink, watchlist: index.directory },
      confirmations,
      maxReorgDepth,
      followBlocks: maxReorgDepth,
      backfillBounds: SMALL_RANGES,
      // Of a tree of few blocks most would be too near the head to be committed together.
      settledBlocks: seed % 3,
    })
    started.indexer.blocks.subscribe(block => {
      watcher.take(block)
      clients?.take(block)
      clients?.stir()
    })
    return started
  }
  const stop = async () => {
    const { count, lastDepth } = running.indexer.view.state().reorgs
    outcome.swapped += count
    outcome.deepest = Math.max(outcome.deepest, lastDepth ?? 0)
    await running.indexer.stop()
  }
  const caughtUp = async () => {
    const deadline = performance.now() + LONGEST_MS
    for (let round = 1; ; round++) {
      const { stalled, reason } = running.indexer.view.state()
      if (stalled || performance.now() > deadline)
        throw new Error(`${reason ?? 'not caught up in time'}: ${JSON.stringify(running.log.lines().at(-1))}`)
      await running.hint()
      if (isAsFar(watcher.newest(), chain, confirmations)) return
      // What a stop cut off is committed and never told.
      if (round % 20 === 0 && isAsFar(await cursorOf(indexed.kysely), chain, confirmations) && index.isSettled()) return
    }
  }
  const restart = async () => {
    await running.hint()
    await stop()
    if (random.chance(0.6)) forking.fork(depth(), random.integer(-3, 4))
    index = await open()
    watcher.reconnect()
    clients?.reconnect()
    running = start()
    outcome.restarts++
  }

  try {
    // Many begin with a backfill, and some of those are reorganised during it.
    forking.mine(random.chance(0.4) ? maxReorgDepth + random.integer(3, 12) : random.integer(2, 10))
    if (random.chance(0.3)) armReorg()
    for (let step = random.integer(2, 4); step > 0; step--) {
      if (random.chance(0.3)) answersToLose = 1
      switch (random.weighted([3, 5, 2, 2])) {
        case 0:
          forking.mine(random.integer(1, 6))
          break
        case 1:
          reorg()
          break
        case 2:
          reorg()
          armReorg()
          break
        default:
          await restart()
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
  for (const { kysely } of [indexed, fresh]) {
    const counted = await countedStats(kysely)
    const kept: Readonly<Record<string, unknown>> | null = await createChainStats(kysely, 1)()
    expectEqual(Object.fromEntries(Object.keys(counted).map(name => [name, kept?.[name]])), counted)
  }
  expectEqual(index.directory.addresses().toSorted(), (await readDirectory(indexed.kysely)).addresses().toSorted())
  const held = [...watcher.held.keys()].toSorted()
  expectEqual(
    held.map(token => watcher.held.get(token)),
    (await readSnapshots(indexed.kysely, { chainId: 1, addresses: held })).toSorted((a, b) => (a.token.address < b.token.address ? -1 : 1)),
  )
  expectEqual(watcher.violations, [])
  if (clients !== null) expectEqual(await clients.faults(), [])
  return outcome
}
