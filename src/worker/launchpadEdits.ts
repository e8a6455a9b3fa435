import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { isLogged } from '#async/logSampling.ts'
import { pause } from '#async/pause.ts'
import type { Config, LaunchpadsConfig } from '#config'
import type { Directory } from '#launchpads/directory/directory.ts'
import type { LaunchpadsPlan } from '#launchpads/planLaunchpads.ts'
import type { LaunchpadProgress } from '#resources/health.ts'
import type { Transaction } from '#store/connection/transaction.ts'
import { readLateJoins } from '#store/latePairs.ts'
import { canGoBackTo, readRecentBlocks } from '#store/rows/cursor.ts'
import { type ListInForce, readListInForce, requestRebuild } from '#store/rows/listInForce.ts'
import { dropSideSchema } from '#store/sideSchema.ts'
import { type Cause, causeOf } from '#sync/causeOf.ts'
import type { ConnectedChain } from './connectChain.ts'
import { joinLaunchpads } from './joinLaunchpads.ts'
import { isWhole, planEdit } from './planEdit.ts'
import { openSideIndex, type SideIndex } from './sideIndex.ts'

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
      // Sites are given the histories of these by a base path with the block: docs/guides/listing.md.
      logger.info({ launchpads, lateJoins: await readLateJoins(db) }, 'the index has the launchpads of launchpads.json')
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
