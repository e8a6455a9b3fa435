import { createRandom } from '#devchain/traders/random.ts'
import { createTransaction } from '#store/connection/transaction.ts'
import { createChainStats, readLaunchpads } from '#store/reads/chainStats.ts'
import { foldMinutes } from '#store/rows/foldMinutes.ts'
import type { Committer } from '#sync/committer.ts'
import { type ChainRpcOptions, createChainRpc } from './chainRpc.ts'
import { compareWithFresh } from './compareWithFresh.ts'
import { countedLaunchpads } from './countedLaunchpads.ts'
import { countedStats } from './countedStats.ts'
import type { TestDatabase } from './database.ts'
import { createForkingChain, wideIndex } from './forkingChain.ts'
import { type RunningSync, runSync } from './indexing.ts'
import { startPatience } from './patience.ts'
import type { SimulatedBlock } from './simulatedChain.ts'
import { countEvents, EVENT_KINDS, type EventCounts } from './simulatedEvents.ts'
import { isAsFar, openIndex } from './simulatedIndex.ts'
import { START_BLOCK } from './simulatedLaunchpad.ts'
import { rememberStart } from './startingCursor.ts'
import { FEW_LISTED, hasLongLists, isUnlisted, strangersLogs } from './strangers.ts'
import { createTokenWatcher } from './tokenWatcher.ts'
import { createTreeClients } from './treeClients.ts'
import { createUnderWay } from './underWay.ts'

const DEEPEST = 64
/** The head is polled when all requests are answered, or after this time at the latest. */
const ROUND_MS = 100
/** Ranges of a few blocks, so that a backfill has several commits. */
const SMALL_RANGES = { minBlocks: 1, maxBlocks: 6, targetLogs: 20 }

export interface TreeDatabases {
  readonly indexed: TestDatabase
  readonly fresh: TestDatabase
}

/** What happened in a tree. */
export interface TreeOutcome {
  readonly replaced: number
  readonly deepest: number
  readonly restarts: number
  /** Reorgs while ranges were being indexed. */
  readonly whileBackfilling: number
  /** Reorgs in the middle of a step. */
  readonly inTheMiddle: number
  /** Reorgs of indexed blocks before an earlier one was replaced. */
  readonly duringReorg: number
  /** Reorgs of indexed blocks while the service was down. */
  readonly whileDown: number
  /** Reorgs that left no indexed block. */
  readonly whole: number
  /** Commits and replacements that were executed and whose answer was lost. */
  readonly lostCommits: number
  readonly lostReplacements: number
  /** Log queries by topic, without addresses. */
  readonly unlisted: number
  /** Events in dropped blocks that were indexed, and in their replacements. */
  readonly dropped: EventCounts
  readonly added: EventCounts
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }
const NO_EVENTS = countEvents([])
const plus = (a: EventCounts, b: EventCounts): EventCounts => {
  const sum: Mutable<EventCounts> = { ...a }
  for (const kind of EVENT_KINDS) sum[kind] += b[kind]
  return sum
}

/** Grows and indexes one random tree, with restarts and lost answers. Throws when anything differs from a fresh index of its last chain. */
export async function growTree(
  seed: number,
  { indexed, fresh }: TreeDatabases,
  expectEqual: (a: unknown, b: unknown) => void,
): Promise<TreeOutcome> {
  await Promise.all([indexed.clear(), fresh.clear()])
  const random = createRandom(seed)
  const confirmations = random.weighted([3, 1, 1])
  // Followed blocks are not backfilled, so most trees follow few blocks and have cheap backfills.
  const maxReorgDepth = random.chance(0.12) ? DEEPEST : 10
  const longLists = hasLongLists(seed)
  const forking = createForkingChain(random, maxReorgDepth, longLists ? strangersLogs : undefined, wideIndex)
  const { chain } = forking
  const genesisHash = chain.at(0).header.hash
  // In some trees one client watches everything, in the others clients watch random tokens. Their random numbers do not affect the tree.
  const clients = seed % 2 === 0 ? null : createTreeClients(indexed.kysely, createRandom(seed + 4_000_003))
  const outcome: Mutable<TreeOutcome> = {
    replaced: 0,
    deepest: 0,
    restarts: 0,
    whileBackfilling: 0,
    inTheMiddle: 0,
    duringReorg: 0,
    whileDown: 0,
    whole: 0,
    lostCommits: 0,
    lostReplacements: 0,
    unlisted: 0,
    dropped: NO_EVENTS,
    added: NO_EVENTS,
  }
  /** What happens after a number of calls to the provider. */
  let armed: { left: number; happen(): void } | null = null
  const intercept: ChainRpcOptions['intercept'] = (_provider, call, answer) => {
    if (isUnlisted(call)) outcome.unlisted++
    clients?.stir()
    if (armed !== null && armed.left-- === 0) {
      const { happen } = armed
      armed = null
      happen()
    }
    return answer()
  }
  const rpc = createChainRpc([chain], { intercept, maxAddresses: longLists ? FEW_LISTED : undefined })
  const depth = () =>
    [random.integer(1, 4), random.integer(5, 16), random.integer(17, DEEPEST), DEEPEST][
      random.weighted(chain.head().header.number > 40 ? [3, 3, 3, 3] : [12, 5, 1, 0])
    ] ?? 1
  /** The number of replaced reorgs at the time of the last reorg of indexed blocks. */
  let replacedBefore: number | null = null
  /** Whether it replaces indexed blocks. */
  const fork = (): boolean => {
    const { dropped, added } = forking.fork(depth(), random.integer(-3, 4))
    const { indexedBlock } = running.sync.view.state()
    const indexedOf = (blocks: readonly SimulatedBlock[]) => blocks.filter(({ header }) => header.number <= (indexedBlock ?? -1))
    const gone = indexedOf(dropped)
    if (gone.length === 0) return false
    outcome.dropped = plus(outcome.dropped, countEvents(gone.flatMap(({ logs }) => logs)))
    outcome.added = plus(outcome.added, countEvents(indexedOf(added).flatMap(({ logs }) => logs)))
    if (gone[0]?.header.number === START_BLOCK) outcome.whole++
    return true
  }
  const reorg = () => {
    const { backfill, reorgs } = running.sync.view.state()
    if (backfill !== null) outcome.whileBackfilling++
    if (!fork()) return
    if (replacedBefore === reorgs.count) outcome.duringReorg++
    replacedBefore = reorgs.count
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

  // Its random numbers do not affect the tree.
  const folding = createRandom(seed + 6_000_003)
  const foldSometimes = async () => {
    if (folding.chance(0.2)) await createTransaction(indexed.orm)(foldMinutes)
  }
  const watcher = createTokenWatcher()
  const underWay = createUnderWay()
  /** Whether the answer to the next commit, or replacement, is lost. */
  const losing = { commit: false, replace: false }
  const open = async () => {
    const isWatched = clients === null ? {} : { isWatched: clients.isWatched }
    const { committer: remembering, directory } = await openIndex(indexed, { genesisHash, maxReorgDepth, ...isWatched })
    const { committer, startedAt } = rememberStart(remembering)
    const lose = async <T>(of: 'commit' | 'replace', answer: Promise<T>): Promise<T> => {
      const value = await answer
      if (!losing[of]) return value
      losing[of] = false
      outcome[of === 'replace' ? 'lostReplacements' : 'lostCommits']++
      throw new Error('the connection was lost after the commit')
    }
    const lossy: Committer = {
      ...committer,
      recentBlocks: () => underWay.during(committer.recentBlocks()),
      commit: one =>
        underWay.during(foldSometimes().then(() => lose(one.kind === 'replace' ? 'replace' : 'commit', committer.commit(one)))),
    }
    return { committer: lossy, directory, startedAt }
  }
  let index = await open()
  let running = start()
  function start(): RunningSync {
    const started = runSync({
      rpc,
      index: { committer: index.committer, watchlist: index.directory },
      confirmations,
      genesisHash,
      maxReorgDepth,
      // With the usual distance most blocks of a small tree would be too near the head to be committed together.
      tuning: { followBlocks: maxReorgDepth, ranges: SMALL_RANGES, liveBlocks: seed % 3 },
    })
    started.sync.blocks.subscribe(block => {
      watcher.take(block)
      clients?.take(block)
      clients?.stir()
    })
    return started
  }
  const stop = async () => {
    const { count, lastDepth } = running.sync.view.state().reorgs
    outcome.replaced += count
    outcome.deepest = Math.max(outcome.deepest, lastDepth ?? 0)
    await running.sync.stop()
  }
  const caughtUp = async () => {
    const patience = startPatience()
    for (;;) {
      const { stalled, reason } = running.sync.view.state()
      if (stalled || patience.isOver())
        throw new Error(`${reason ?? 'not caught up in time'}: ${JSON.stringify(running.log.lines().at(-1))}`)
      await running.hint(() => underWay.quiet(ROUND_MS))
      if (isAsFar(watcher.newest() ?? index.startedAt(), chain, confirmations)) return
    }
  }
  const restart = async () => {
    await running.hint()
    await stop()
    if (random.chance(0.6) && fork()) outcome.whileDown++
    replacedBefore = null
    index = await open()
    watcher.reconnect()
    clients?.reconnect()
    running = start()
    outcome.restarts++
  }

  try {
    // Many trees start with a backfill, some of them with a reorg during it.
    forking.mine(random.chance(0.4) ? maxReorgDepth + random.integer(3, 12) : random.integer(2, 10))
    if (random.chance(0.3)) armReorg()
    for (let step = random.integer(2, 4); step > 0; step--) {
      losing.commit = random.chance(0.2)
      losing.replace = random.chance(0.3)
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
  } finally {
    await stop()
  }

  await compareWithFresh({ indexed, fresh, chain, directory: index.directory, watcher }, expectEqual)
  for (const { kysely } of [indexed, fresh]) {
    expectEqual((await readLaunchpads(kysely)).data, await countedLaunchpads(kysely))
    const counted = await countedStats(kysely)
    const kept: Readonly<Record<string, unknown>> | null = await createChainStats(kysely, 1)()
    expectEqual(Object.fromEntries(Object.keys(counted).map(name => [name, kept?.[name]])), counted)
  }
  expectEqual(watcher.violations, [])
  if (clients !== null) expectEqual(await clients.faults(), [])
  return outcome
}
