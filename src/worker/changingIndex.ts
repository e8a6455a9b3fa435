import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type Kysely, sql } from 'kysely'
import type { Logger } from 'pino'
import { isLogged, pause } from '#async/pause.ts'
import type { LaunchpadsConfig } from '#config'
import type { BlockHeader } from '#domain/block.ts'
import { hasCode, TokenwireError } from '#errors'
import type { Directory } from '#launchpads/directory/directory.ts'
import type { LaunchpadsPlan } from '#launchpads/planLaunchpads.ts'
import { createAdapters, versionOf, withVersions } from '#launchpads/registry.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import type { LaunchpadProgress } from '#resources/health.ts'
import { copyAhead } from '#store/changeLaunchpads.ts'
import { committedAgain } from '#store/commit.ts'
import { createOrm } from '#store/connection/orm.ts'
import { DATABASE_PATIENCE_MS } from '#store/connection/silence.ts'
import { createTransaction, type Transaction } from '#store/connection/transaction.ts'
import { takeOverSide } from '#store/replaceBlocks.ts'
import { canGoBackTo, claimDatabase, isRecentBlock, lockAsWriter, readRecentBlocks } from '#store/rows/cursor.ts'
import { type ListInForce, readListInForce, requestRebuild, writeListInForce } from '#store/rows/listInForce.ts'
import { dropSideSchema } from '#store/switchSchema.ts'
import { createSkippedLogCounter } from '#sync/committer.ts'
import { type Cause, causeOf } from '#sync/health.ts'
import { fetchReplacement } from '#sync/replacement.ts'
import type { FetchedBatch } from '#sync/state.ts'
import type { ConnectedChain } from './connectChain.ts'
import type { ThreadView } from './messages.ts'
import { type OpenedIndexing, type OpenIndexingOptions, openIndexing } from './openIndexing.ts'
import { isWhole, planEdit } from './planEdit.ts'
import { restoreDirectoryOf } from './restoreDirectory.ts'
import { createUnwatchedCommitter, openSideIndex, type SideIndex, stayBelow } from './sideIndex.ts'

export interface ChangingIndexOptions
  extends Omit<OpenIndexingOptions, 'chain' | 'writer' | 'list' | 'directory' | 'health' | 'skipped' | 'heldBlock'> {
  /** Closed with the rest. */
  readonly chain: ConnectedChain
  /** Called when the index has other launchpads than before, and before the commit that made it so is emitted. */
  readonly onLaunchpads: (launchpads: LaunchpadsConfig) => void
}

/** The index of a list of launchpads that may change while it is followed. */
export interface ChangingIndex {
  readonly chainId: number
  /** The name under which this process has claimed the database. */
  readonly writer: string
  /** What the index is of now. */
  launchpads(): LaunchpadsConfig
  /** From now on this list, which was read from `launchpads.json`, is wanted. Nothing changes before `start`. */
  want(list: LaunchpadsConfig): void
  /** Begins to index, and gives every commit in order, after it is committed. To be called once. */
  start(onBlock: (block: CommittedBlock) => void): void
  /** Its details may have secrets. */
  report(): Omit<ThreadView, 'eventLoop'>
  /** As `gaveUp` of `Sync`. */
  readonly gaveUp: Promise<unknown>
  /** Resolves when the commit under way has been emitted. */
  stop(): Promise<void>
  /** Aborts what is under way and closes all connections to the database. */
  close(): Promise<void>
}

/** The join waits for no other commit, and may take minutes. */
const JOIN_LIMITS = { poolSize: 3, applicationName: 'tokenwire-launchpads', statementTimeoutMs: 0 }

/**
 * Claims the database for the chain, and opens the index of the launchpads that are in it. For an empty database these are the configured
 * ones. Once it is started, it is taken over to each list of launchpads that is wanted, while it follows the list in force.
 *
 * @throws `TokenwireError` with the reason; nothing is left open then
 */
export async function openChangingIndex(options: ChangingIndexOptions): Promise<ChangingIndex> {
  const { config, chain, databaseUrl, logger } = options
  const { chainId, genesisHash, launchpads } = chain
  const { weth, pegUsd } = config.launchpads
  const impatience = new AbortController()
  const stopped = new AbortController()
  const orm = createOrm(databaseUrl, logger, { ...JOIN_LIMITS, giveUp: impatience.signal })
  const close = async () => {
    chain.rpc.close()
    await orm.close(true)
  }
  try {
    const tools = { ...options, db: orm.em.getKysely<unknown>(), transaction: createTransaction(orm), writer: randomUUID() }
    await claimDatabase(tools.db, { chainId, genesisHash, weth, launchpads: withVersions(launchpads), pegUsd }, tools.writer)
    const index = await openPausable(tools, stopped.signal)
    const edits = createEdits(tools, index, stopped.signal)
    return {
      chainId,
      writer: tools.writer,
      launchpads: index.launchpads,
      want: edits.want,
      start: onBlock => {
        index.start(onBlock)
        edits.start()
      },
      report: () => {
        const report = index.report()
        const state = { ...report.state, launchpads: edits.changing() }
        const cause = edits.problem()
        if (cause === null) return { ...report, state }
        const problems = [...state.problems, `launchpads.json can not be applied: ${cause.shown}`]
        return { ...report, state: { ...state, problems, details: [...state.details, cause.full] } }
      },
      gaveUp: index.gaveUp,
      stop: async () => {
        stopped.abort()
        const late = setTimeout(() => impatience.abort(), DATABASE_PATIENCE_MS)
        await edits.ended()
        clearTimeout(late)
        await index.stop()
      },
      close: async () => {
        await index.close()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

interface Tools extends ChangingIndexOptions {
  readonly db: Kysely<unknown>
  readonly transaction: Transaction
  readonly writer: string
}

const MAX_REOPEN_PAUSE_MS = 5_000

/** The index of the list in force. For a change it is closed, and opened again with the list of then. */
type PausableIndex = Awaited<ReturnType<typeof openPausable>>

async function openPausable(tools: Tools, signal: AbortSignal) {
  const { config, chain, db, transaction, writer, isWatched, now, logger, onLaunchpads } = tools
  const { weth } = config.launchpads
  const skipped = createSkippedLogCounter()
  const gaveUp = Promise.withResolvers<unknown>()
  let list = await readListInForce(db)
  warnOfNewerAdapters(list, logger)
  let heldBlock: number | null = null
  let emit: (block: CommittedBlock) => void = () => undefined

  const openWith = async (directory: Directory | null, health?: ReturnType<OpenedIndexing['health']>): Promise<OpenedIndexing> => {
    const held = { heldBlock: () => heldBlock }
    const opened = await openIndexing({ ...tools, ...held, list, directory, skipped, ...(health && { health }) })
    void opened.gaveUp.then(gaveUp.resolve)
    return opened
  }
  let current = await openWith(null)
  let isOpen = true
  const follow = () => void current.blocks.subscribe(block => emit(block))

  /** The commit that changed the list, which may have lost its answer. */
  const emitJoin = async (): Promise<void> => {
    const block = await transaction(async tx => {
      const cursor = await lockAsWriter(tx, writer)
      const to = (await readRecentBlocks(tx, 1)).at(-1)
      if (cursor === null || to === undefined) return null
      return committedAgain(tx, { to, mode: 'reorg' }, cursor, { chainId: chain.chainId, isWatched, now })
    })
    if (block !== null) emit(block)
  }

  return {
    launchpads: (): LaunchpadsConfig => ({ weth, ...list }),
    start: (onBlock: typeof emit): void => {
      emit = onBlock
      follow()
    },
    report: (): ReturnType<ChangingIndex['report']> => ({
      state: current.view.state(),
      chain: current.view.chain(),
      metadata: current.metadata(),
      skippedLogs: skipped.counts(),
    }),
    /** Whether the chain has replaced more indexed blocks than can be undone. */
    isTooDeep: (): boolean => {
      const { stopped: cause, tooDeepReorgAt } = current.health()
      return cause !== null && tooDeepReorgAt !== null
    },
    /** @param block the oldest block that has to stay undoable; `null`: there is none */
    hold: (block: number | null): void => {
      heldBlock = block
    },
    /** Stops it between two blocks. */
    pause: async (): Promise<void> => {
      if (!isOpen) return
      await current.stop()
      isOpen = false
      await current.close()
    },
    /**
     * Opens the index of the list that is in force now, if it was closed. Tries until it succeeds or the service stops.
     *
     * @param before the list until the change. A request to rebuild is in it, too
     * @param directory of the new list, as of the cursor
     */
    resume: async (before: ListInForce, directory: Directory | null): Promise<void> => {
      if (isOpen) return
      for (let failures = 0; !signal.aborted; ) {
        try {
          list = await readListInForce(db)
          const isChanged = !isDeepStrictEqual(list, before)
          if (isChanged) {
            onLaunchpads({ weth, ...list })
            await emitJoin()
          }
          // An index that was taken over is no longer stopped by a reorg.
          current = await openWith(isChanged ? directory : null, { ...current.health(), ...(isChanged && { stopped: null }) })
          isOpen = true
          return follow()
        } catch (err) {
          if (hasCode(err, 'database_taken')) return gaveUp.resolve(err)
          if (isLogged(++failures)) logger.error({ err, failures }, 'the index could not be opened again, trying again')
          await pause(Math.min(MAX_REOPEN_PAUSE_MS, 200 * 2 ** Math.min(failures, 5)), signal)
        }
      }
    },
    gaveUp: gaveUp.promise,
    stop: async (): Promise<void> => {
      if (isOpen) await current.stop()
    },
    close: async (): Promise<void> => {
      if (isOpen) await current.close()
    },
  }
}

const LOOK_EVERY_MS = 1_000
const MAX_LOOK_PAUSE_MS = 30_000
const NEAR_BLOCKS = 8
/** Rights, contracts and settings may come later. */
const REFUSED_FOR_MS = 30_000

/** What follows from one wanted list and one list in force. */
interface Attempt {
  readonly key: string
  /** When to plan anew though nothing was edited. */
  readonly endsAtMs: number
  /** `null`: nothing is to be done, or it can't be. */
  readonly change: LaunchpadsEdit | null
}

interface LaunchpadsEdit {
  readonly plan: LaunchpadsPlan
  /** The list afterwards. */
  readonly list: Pick<ListInForce, 'launchpads' | 'pegUsd'>
  /** `null`: nothing joins. */
  readonly side: SideIndex | null
}

/**
 * Looks once a second whether another list is wanted than is in force: plans the change, builds what joins in a side index while the index
 * is followed, and joins it once the index can go back to its newest block.
 */
function createEdits(tools: Tools, index: PausableIndex, signal: AbortSignal) {
  const { config, chain, db, databaseUrl, writer, now, logger } = tools
  let wanted = config.launchpads
  let attempt: Attempt | null = null
  /** Why the wanted list can't be applied. */
  let refusal: Cause | null = null
  /** Why the newest look has failed. */
  let failure: Cause | null = null
  let logged: string | null = null
  let running = Promise.resolve()

  const end = async (): Promise<void> => {
    const side = attempt?.change?.side
    attempt = null
    await side?.close()
  }

  const refuse = (cause: Cause): void => {
    refusal = cause
    if (logged !== cause.full) logger.error(`LAUNCHPADS_FILE: ${cause.full}; the launchpads stay as they are in the index`)
    logged = cause.full
  }

  /** The chain goes on without the blocks of the side index, or the like: what it has is tried anew. */
  const gaveUp = (side: SideIndex, error: unknown): void => {
    if (attempt?.change?.side !== side) return
    logger.debug({ err: error }, 'the side index has given up')
    refuse(causeOf(error))
    attempt = { ...attempt, endsAtMs: now() + REFUSED_FOR_MS }
  }

  const begin = async (key: string, inForce: ListInForce): Promise<Attempt> => {
    const edit = await planEdit({ db, chain, config, inForce, wanted })
    refusal = null
    switch (edit.kind) {
      case 'none':
        await dropSideSchema(db)
        return { key, endsAtMs: Number.POSITIVE_INFINITY, change: null }
      case 'refused':
        refuse(edit.cause)
        return { key, endsAtMs: now() + REFUSED_FOR_MS, change: null }
      case 'change': {
        const { plan, list, lines, isEmpty } = edit
        logger.info(
          { plan: lines },
          'launchpads.json asks for other launchpads than the index has: it is changed while it follows the chain',
        )
        const sideList = { launchpads: plan.side, pegUsd: list.pegUsd }
        const side =
          isEmpty || plan.side.length === 0
            ? null
            : await openSideIndex({ config, chain, main: db, mainUrl: databaseUrl, list: sideList, writer, now, logger })
        if (side !== null) void side.gaveUp.then(error => gaveUp(side, error))
        return { key, endsAtMs: Number.POSITIVE_INFINITY, change: { plan, list, side } }
      }
    }
  }

  /** After a reorg that is too deep every launchpad is built anew, if the operator allows it. */
  const readListToPlan = async (): Promise<ListInForce> => {
    const inForce = await readListInForce(db)
    const names = inForce.launchpads.map(({ name }) => name).filter(name => !inForce.rebuild.includes(name))
    if (!config.rebuildOnDeepReorg || names.length === 0 || !index.isTooDeep()) return inForce
    logger.warn('REBUILD_ON_DEEP_REORG: the index is built anew beside the one that is served, and takes its place then')
    for (const name of names) await requestRebuild(db, name)
    return readListInForce(db)
  }

  const look = async (): Promise<void> => {
    const inForce = await readListToPlan()
    const key = JSON.stringify([wanted, inForce])
    if (attempt?.key !== key) logged = null
    if (attempt?.key !== key || now() >= attempt.endsAtMs) {
      await end()
      attempt = await begin(key, inForce)
    }
    const { change } = attempt
    if (change === null) return
    const { plan, list, side } = change
    const takesOver = side !== null && isWhole(plan, inForce) && (index.isTooDeep() || config.maxReorgDepth === 0)
    if (side !== null && !(takesOver ? isNearHead(side) : await isInReach(db, side))) return
    try {
      await side?.stop()
      await applyEdit(change, takesOver, tools, index)
      const launchpads = list.launchpads.map(({ name }) => name)
      logger.info({ launchpads }, 'the index has the launchpads of launchpads.json')
    } finally {
      await end()
    }
  }

  const lookAgainAndAgain = async (): Promise<void> => {
    for (let failures = 0; !signal.aborted; ) {
      try {
        await look()
        failures = 0
        failure = null
      } catch (err) {
        // The next look begins anew, and goes on with what the side index has.
        await end()
        failure = causeOf(err)
        if (isLogged(++failures)) logger.warn({ err, failures }, 'the launchpads could not be changed, trying again')
      }
      await pause(Math.min(MAX_LOOK_PAUSE_MS, LOOK_EVERY_MS * 2 ** Math.min(failures, 5)), signal)
    }
    await end()
  }

  return {
    want: (list: LaunchpadsConfig): void => {
      wanted = list
    },
    start: (): void => {
      running = lookAgainAndAgain()
    },
    /** The launchpads that are built or removed now. */
    changing: () => progressOf(attempt?.change ?? null),
    /** Why the wanted list can't be applied, now or at all; `null`: it is applied, or will be. */
    problem: () => refusal ?? failure,
    /** Resolves after the join under way, once the signal has aborted. */
    ended: () => running,
  }
}

/** Whether the index can go back to the newest block of the side index. */
async function isInReach(db: Kysely<unknown>, side: SideIndex): Promise<boolean> {
  const reached = (await readRecentBlocks(side.db, 1)).at(-1)
  return reached !== undefined && (await canGoBackTo(db, reached))
}

/** It takes over as soon as the last blocks are few, which the index then follows by itself. */
function isNearHead(side: SideIndex): boolean {
  const { indexedBlock, blocksLeft } = side.progress()
  return indexedBlock !== null && blocksLeft !== null && blocksLeft <= NEAR_BLOCKS
}

const NO_PROGRESS = { indexedBlock: null, blocksLeft: null, eventsPerSecond: null, secondsLeft: null }

function progressOf(change: LaunchpadsEdit | null): readonly LaunchpadProgress[] {
  if (change === null) return []
  const { plan, side } = change
  const joined = new Set(plan.joined)
  const built = side?.progress() ?? NO_PROGRESS
  return [
    ...plan.joined.map((name): LaunchpadProgress => ({ name, state: 'backfilling', ...built })),
    ...plan.leaving.filter(name => !joined.has(name)).map((name): LaunchpadProgress => ({ name, state: 'leaving', ...NO_PROGRESS })),
  ]
}

/** Reorgs of a few blocks are common while rows are copied. */
const NOT_AHEAD_BLOCKS = 8

/**
 * Makes the index one of another list, in one transaction: copies the rows of the side index while the index goes on, stops it, undoes the
 * blocks above the newest one of the side index, removes the rows of the launchpads that leave, and applies the same blocks again. Or lets
 * the side index take over. Then opens the index of the list that is in force.
 *
 * @param takesOver the side index, which is stopped, is of every launchpad and takes the place of all that is indexed, which the chain no
 *   longer has
 * @throws `TokenwireError` `rpc_inconsistent`, retryable, when the index and the chain or the side index have moved apart; what fetching
 *   and `replaceBlocks` throw
 */
export async function applyEdit(
  { plan, list, side }: LaunchpadsEdit,
  takesOver: boolean,
  tools: Omit<Tools, 'onLaunchpads' | 'databaseUrl' | 'delayed'>,
  index: Pick<PausableIndex, 'hold' | 'pause' | 'resume'>,
): Promise<void> {
  const { config, chain, db, transaction, writer, ethUsd, now, logger } = tools
  const { weth } = config.launchpads
  const { maxReorgDepth } = config
  const before = await readListInForce(db)
  const reached = side === null ? undefined : (await readRecentBlocks(side.db, 1)).at(-1)
  let directory: Directory | null = null
  if (reached !== undefined && !takesOver) index.hold(reached.number + 1)
  try {
    if (side === null) {
      await index.pause()
      if (await claimEmpty(list, plan, tools)) return
      if (plan.side.length > 0) {
        throw new TokenwireError('rpc_inconsistent', 'indexing has begun with the earlier launchpads meanwhile', { retryable: true })
      }
    }
    const ancestor = side === null ? await oldestInReach(tools) : reached
    if (ancestor === undefined || !(takesOver || (await isRecentBlock(db, ancestor)))) {
      throw new TokenwireError('rpc_inconsistent', 'the index does not have the newest block of the side index', { retryable: true })
    }
    const joined = new Set(plan.joined)
    const stays = new Set(list.launchpads.map(({ name }) => name).filter(name => !joined.has(name)))
    const adapters = createAdapters({ weth, ...list })
    // What the index learns meanwhile is above the ancestor, and found again in its blocks.
    const changed = await restoreDirectoryOf(adapters, [
      { transaction, launchpads: stays },
      ...(side === null ? [] : [{ transaction: side.transaction, launchpads: joined }]),
    ])
    const joining = side === null ? null : { schema: side.schema, names: plan.joined }
    const change = { ...list, leaving: plan.leaving, joining }
    if (takesOver && joining !== null) {
      await index.pause()
      const options = { transaction, writer, maxReorgDepth, chainId: chain.chainId, isWatched: () => false, now }
      await takeOverSide(change, joining.schema, options)
      directory = changed
      return
    }
    const fetchUpTo = async (below: number, fetched: readonly FetchedBatch[]) => {
      const cursor = (await readRecentBlocks(db, 1)).at(-1) ?? ancestor
      const { source, genesisHash } = chain
      return fetchReplacement({ source, watchlist: changed, ancestor, to: cursor.number - below, genesisHash, fetched })
    }
    const valued = { weth, pegUsd: list.pegUsd, facts: chain.source, ethUsd }
    const committer = createUnwatchedCommitter(config, chain, {
      db,
      transaction,
      writer,
      adapters,
      directory: changed,
      ...valued,
      now,
      logger,
    })
    await transaction(async tx => {
      // Nothing is sent while the index ends what it does, and its newest blocks are fetched.
      await sql`set local idle_in_transaction_session_timeout = '5min'`.execute(tx)
      await copyAhead(tx, change)
      const { batches } = await fetchUpTo(NOT_AHEAD_BLOCKS, [])
      await index.pause()
      return committer.change(tx, change, await fetchUpTo(0, batches))
    })
    directory = changed
  } finally {
    index.hold(null)
    await index.resume(before, directory)
  }
}

/** @returns whether nothing is indexed, and the list is in force */
function claimEmpty(
  list: LaunchpadsEdit['list'],
  { joined }: LaunchpadsPlan,
  { transaction, writer }: Pick<Tools, 'transaction' | 'writer'>,
): Promise<boolean> {
  return transaction(async tx => {
    if ((await lockAsWriter(tx, writer)) !== null) return false
    await writeListInForce(tx, list, joined)
    return true
  })
}

/**
 * A block to go back to when nothing joins: without blocks that are applied again, no reorg could be undone afterwards. At most as far back
 * as side indexes stay.
 */
async function oldestInReach({
  config,
  db,
  transaction,
  writer,
}: Pick<Tools, 'config' | 'db' | 'transaction' | 'writer'>): Promise<BlockHeader | undefined> {
  const blocks = await readRecentBlocks(db, stayBelow(config) + 1)
  const undoFrom = (await transaction(tx => lockAsWriter(tx, writer)))?.undoFrom ?? null
  if (undoFrom === null) return blocks.at(-1)
  return blocks.find(({ number, mergedWithNext }) => number >= undoFrom - 1 && !mergedWithNext) ?? blocks.at(-1)
}

/** Names the launchpads that were indexed by an earlier version of their adapter, and how to have them built anew. Nothing is by itself. */
export function warnOfNewerAdapters({ launchpads }: Pick<ListInForce, 'launchpads'>, logger: Pick<Logger, 'warn'>): void {
  for (const { name, adapter, version = 1 } of launchpads) {
    const newVersion = versionOf(adapter)
    if (version >= newVersion) continue
    const sentence = `the adapter has learned more since this launchpad was indexed: npm run launchpads -- rebuild ${name}`
    logger.warn({ launchpad: name, version, newVersion }, sentence)
  }
}
