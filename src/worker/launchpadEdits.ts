import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { isLogged, pause } from '#async/turns.ts'
import type { Config, LaunchpadsConfig } from '#config'
import type { BlockHeader } from '#domain/block.ts'
import { TokenwireError } from '#errors'
import type { Directory } from '#launchpads/directory/directory.ts'
import type { LaunchpadsPlan } from '#launchpads/planLaunchpads.ts'
import { createAdapters } from '#launchpads/registry.ts'
import type { LaunchpadProgress } from '#resources/health.ts'
import type { Transaction } from '#store/connection/transaction.ts'
import { canGoBackTo, isRecentBlock, lockCursor, readRecentBlocks } from '#store/rows/cursor.ts'
import { type ListInForce, readListInForce, requestRebuild, writeListInForce } from '#store/rows/listInForce.ts'
import { dropSideSchema } from '#store/switchSchema.ts'
import { fetchReplacement } from '#sync/fetch/replacement.ts'
import { type Cause, causeOf } from '#sync/health.ts'
import type { FetchedBatch } from '#sync/prepareBatch.ts'
import type { ConnectedChain } from './connectChain.ts'
import { isWhole, planEdit } from './planEdit.ts'
import { restoreDirectoryOf } from './restoreDirectory.ts'
import { createUnwatchedCommitter, openSideIndex, type SideIndex, stayBelow } from './sideIndex.ts'

export interface LaunchpadEditsOptions {
  readonly config: Config
  readonly chain: Omit<ConnectedChain, 'launchpads'>
  readonly databaseUrl: string
  readonly db: Kysely<unknown>
  readonly transaction: Transaction
  /** The name under which this process has claimed the database. */
  readonly writer: string
  /**
   * Runs the change, which stops the index between two blocks once it has prepared what it can. Then starts the index of the list that is
   * in force.
   *
   * @param held the block above which all blocks stay undoable until the end; `null`: there is none
   */
  readonly whileChanging: (held: number | null, change: (stopIndex: () => Promise<void>) => Promise<Directory | null>) => Promise<void>
  /** Whether the chain has replaced more indexed blocks than can be undone. */
  isTooDeep(): boolean
  ethUsd(): string | null
  readonly now: () => number
  readonly logger: Logger
}

/** Takes the index over to each list of launchpads that is wanted, while it follows the list in force. */
export interface LaunchpadEdits {
  /** From now on this list is wanted. It was read from `launchpads.json`. */
  want(list: LaunchpadsConfig): void
  /** The launchpads that are built or removed now. */
  changing(): readonly LaunchpadProgress[]
  /** Why the wanted list can't be applied, now or at all; `null`: it is applied, or will be. */
  problem(): Cause | null
  /** Resolves after the join under way. */
  stop(): Promise<void>
}

const LOOK_EVERY_MS = 1_000
const MAX_PAUSE_MS = 30_000
const NEAR_BLOCKS = 8
/** Rights, contracts and settings may come later. */
const REFUSED_FOR_MS = 30_000

/** What follows from one wanted list and one list in force. */
interface Attempt {
  readonly key: string
  /** When to plan anew though nothing was edited. */
  readonly endsAtMs: number
  /** `null`: nothing is to be done, or it can't be. */
  readonly change: {
    readonly plan: LaunchpadsPlan
    readonly list: Pick<ListInForce, 'launchpads' | 'pegUsd'>
    readonly side: SideIndex | null
  } | null
}

export function startLaunchpadEdits(options: LaunchpadEditsOptions, first: LaunchpadsConfig): LaunchpadEdits {
  const { config, chain, db, databaseUrl, writer, whileChanging, isTooDeep, now, logger } = options
  const stopped = new AbortController()
  const { signal } = stopped
  let wanted = first
  let attempt: Attempt | null = null
  /** Why the wanted list can't be applied. */
  let refusal: Cause | null = null
  /** Why the newest look has failed. */
  let failure: Cause | null = null
  let logged: string | null = null

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
    if (!config.rebuildOnDeepReorg || names.length === 0 || !isTooDeep()) return inForce
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
    const { plan, side } = change
    const takesOver = side !== null && isWhole(plan, inForce) && (isTooDeep() || config.maxReorgDepth === 0)
    if (side !== null && !(takesOver ? isNearHead(side) : await isInReach(db, side))) return
    try {
      await side?.stop()
      const reached = side === null || takesOver ? undefined : (await readRecentBlocks(side.db, 1)).at(-1)
      await whileChanging(reached?.number ?? null, stopIndex => joinLaunchpads({ ...options, ...change, takesOver, stopIndex }))
      const launchpads = change.list.launchpads.map(({ name }) => name)
      logger.info({ launchpads }, 'the index has the launchpads of launchpads.json')
    } finally {
      await end()
    }
  }

  const run = async (): Promise<void> => {
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
      await pause(Math.min(MAX_PAUSE_MS, LOOK_EVERY_MS * 2 ** Math.min(failures, 5)), signal)
    }
    await end()
  }

  const running = run()
  return {
    want: list => {
      wanted = list
    },
    changing: () => progressOf(attempt?.change ?? null),
    problem: () => refusal ?? failure,
    stop: async () => {
      stopped.abort()
      await running
    },
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

function progressOf(change: Attempt['change']): readonly LaunchpadProgress[] {
  if (change === null) return []
  const { plan, side } = change
  const joined = new Set(plan.joined)
  const built = side?.progress() ?? { indexedBlock: null, blocksLeft: null, eventsPerSecond: null, secondsLeft: null }
  const none = { indexedBlock: null, blocksLeft: null, eventsPerSecond: null, secondsLeft: null }
  return [
    ...plan.joined.map((name): LaunchpadProgress => ({ name, state: 'backfilling', ...built })),
    ...plan.leaving.filter(name => !joined.has(name)).map((name): LaunchpadProgress => ({ name, state: 'leaving', ...none })),
  ]
}

export interface JoinOptions {
  readonly config: Config
  readonly chain: Omit<ConnectedChain, 'launchpads'>
  readonly db: Kysely<unknown>
  readonly transaction: Transaction
  /** The name under which this process has claimed the database. */
  readonly writer: string
  readonly plan: LaunchpadsPlan
  /** The list afterwards. */
  readonly list: Pick<ListInForce, 'launchpads' | 'pegUsd'>
  /** It is stopped. `null`: nothing joins. */
  readonly side: SideIndex | null
  /** The side index is of every launchpad and takes the place of all that is indexed, which the chain no longer has. */
  readonly takesOver: boolean
  /** Stops the index between two blocks. */
  readonly stopIndex: () => Promise<void>
  ethUsd(): string | null
  readonly now: () => number
  readonly logger: Logger
}

/** Reorgs of a few blocks are common while rows are copied. */
const NOT_AHEAD_BLOCKS = 8

/**
 * Makes the index one of another list, in one transaction: copies the rows of the side index while the index goes on, stops it, undoes the
 * blocks above the newest one of the side index, removes the rows of the launchpads that leave, and applies the same blocks again. Or lets
 * the side index take over.
 *
 * @returns the directory of the index afterwards; `null`: nothing is indexed yet
 * @throws `TokenwireError` `rpc_inconsistent`, retryable, when the index and the chain or the side index have moved apart; what fetching
 *   and `replaceBlocks` throw
 */
export async function joinLaunchpads(options: JoinOptions): Promise<Directory | null> {
  const { config, chain, db, transaction, plan, list, side, takesOver, stopIndex } = options
  const { weth } = config.launchpads
  if (side === null) {
    await stopIndex()
    if (await claimEmpty(options)) return null
    if (plan.side.length > 0) {
      throw new TokenwireError('rpc_inconsistent', 'indexing has begun with the earlier launchpads meanwhile', { retryable: true })
    }
  }
  const ancestor = side === null ? await oldestInReach(options) : (await readRecentBlocks(side.db, 1)).at(-1)
  if (ancestor === undefined || !(takesOver || (await isRecentBlock(db, ancestor)))) {
    throw new TokenwireError('rpc_inconsistent', 'the index does not have the newest block of the side index', { retryable: true })
  }
  const joined = new Set(plan.joined)
  const stays = new Set(list.launchpads.map(({ name }) => name).filter(name => !joined.has(name)))
  const adapters = createAdapters({ weth, ...list })
  // What the index learns meanwhile is above the ancestor, and found again in its blocks.
  const directory = await restoreDirectoryOf(adapters, [
    { transaction, launchpads: stays },
    ...(side === null ? [] : [{ transaction: side.transaction, launchpads: joined }]),
  ])
  const { source, genesisHash } = chain
  const fetchUpTo = async (below: number, fetched: readonly FetchedBatch[]) => {
    const cursor = (await readRecentBlocks(db, 1)).at(-1) ?? ancestor
    return fetchReplacement({ source, watchlist: directory, ancestor, to: cursor.number - below, genesisHash, fetched })
  }
  const { writer, ethUsd, now, logger } = options
  const valued = { weth, pegUsd: list.pegUsd, facts: source, ethUsd }
  const committer = createUnwatchedCommitter({ config, chain, db, transaction, writer, adapters, directory, ...valued, now, logger })
  const joining = side === null ? null : { schema: side.schema, names: plan.joined }
  const change = { ...list, leaving: plan.leaving, joining }
  if (takesOver && joining !== null) {
    await stopIndex()
    await committer.takeOver(change, joining.schema)
    return directory
  }
  await committer.change(change, async () => {
    const { batches } = await fetchUpTo(NOT_AHEAD_BLOCKS, [])
    await stopIndex()
    return fetchUpTo(0, batches)
  })
  return directory
}

/** @returns whether nothing is indexed, and the list is in force */
function claimEmpty({ transaction, writer, list, plan }: JoinOptions): Promise<boolean> {
  return transaction(async tx => {
    if ((await lockCursor(tx, writer)) !== null) return false
    await writeListInForce(tx, list, plan.joined)
    return true
  })
}

/**
 * A block to go back to when nothing joins: without blocks that are applied again, no reorg could be undone afterwards. At most as far back
 * as side indexes stay.
 */
async function oldestInReach({ config, db, transaction, writer }: JoinOptions): Promise<BlockHeader | undefined> {
  const blocks = await readRecentBlocks(db, stayBelow(config) + 1)
  const undoFrom = (await transaction(tx => lockCursor(tx, writer)))?.undoFrom ?? null
  if (undoFrom === null) return blocks.at(-1)
  return blocks.find(({ number, mergedWithNext }) => number >= undoFrom - 1 && !mergedWithNext) ?? blocks.at(-1)
}
