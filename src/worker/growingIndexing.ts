import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import { Observable, Subject } from 'rxjs'
import { isLogged, pause } from '#async/turns.ts'
import type { LaunchpadsConfig } from '#config'
import { hasCode } from '#errors'
import type { Directory } from '#launchpads/directory/directory.ts'
import { versionOf, withVersions } from '#launchpads/registry.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import type { LaunchpadProgress } from '#resources/health.ts'
import { committedAgain } from '#store/commit.ts'
import { createOrm } from '#store/connection/orm.ts'
import { DATABASE_PATIENCE_MS } from '#store/connection/silence.ts'
import { createTransaction } from '#store/connection/transaction.ts'
import { claimDatabase, lockCursor, readRecentBlocks } from '#store/rows/cursor.ts'
import { type ListInForce, readListInForce } from '#store/rows/listInForce.ts'
import type { Cause } from '#sync/health.ts'
import { createSkippedLogCounter, type SkippedLogs } from '#sync/prepareBatch.ts'
import type { ConnectedChain } from './connectChain.ts'
import { type LaunchpadEdits, type LaunchpadEditsOptions, startLaunchpadEdits } from './launchpadEdits.ts'
import { type OpenedIndexing, type OpenIndexingOptions, openIndexing } from './openIndexing.ts'

export interface GrowingIndexingOptions
  extends Omit<OpenIndexingOptions, 'chain' | 'writer' | 'list' | 'directory' | 'health' | 'skipped' | 'heldBlock'> {
  /** Closed with the rest. */
  readonly chain: ConnectedChain
  /** Called when the index has other launchpads than before, and before the commit that made it so is emitted. */
  readonly onLaunchpads: (launchpads: LaunchpadsConfig) => void
}

/** The index of a list of launchpads that may change while it is followed. */
export interface GrowingIndexing extends Pick<OpenedIndexing, 'blocks' | 'gaveUp' | 'metadata' | 'stop' | 'close'> {
  readonly chainId: number
  readonly writer: string
  /** What the index is of now. */
  launchpads(): LaunchpadsConfig
  /** From now on this list is wanted. Nothing changes before the first subscription to `blocks`. */
  want(list: LaunchpadsConfig): void
  /** The launchpads that are built or removed now. */
  changing(): readonly LaunchpadProgress[]
  /** Why the wanted list can't be applied, now or at all; `null`: it is applied, or will be. */
  problem(): Cause | null
  readonly view: OpenedIndexing['view']
  skippedLogs(): readonly SkippedLogs[]
}

/** The join waits for no other commit, and may take minutes. */
const JOIN_LIMITS = { poolSize: 3, applicationName: 'tokenwire-launchpads', statementTimeoutMs: 0 }
const MAX_PAUSE_MS = 5_000

/**
 * Claims the database for the chain, and opens the index of the launchpads that are in it. For an empty database these are the configured
 * ones.
 *
 * @throws `TokenwireError` with the reason; nothing is left open then
 */
export async function openGrowingIndexing(options: GrowingIndexingOptions): Promise<GrowingIndexing> {
  const impatience = new AbortController()
  const orm = createOrm(options.databaseUrl, options.logger, { ...JOIN_LIMITS, giveUp: impatience.signal })
  const close = async () => {
    options.chain.rpc.close()
    await orm.close(true)
  }
  try {
    return await build(options, { orm, impatience, close })
  } catch (error) {
    await close()
    throw error
  }
}

interface Opened {
  readonly orm: ReturnType<typeof createOrm>
  readonly impatience: AbortController
  close(): Promise<void>
}

async function build(options: GrowingIndexingOptions, { orm, impatience, close }: Opened): Promise<GrowingIndexing> {
  const { config, chain, databaseUrl, isWatched, now, logger, onLaunchpads } = options
  const { chainId, genesisHash, launchpads } = chain
  const { weth, pegUsd } = config.launchpads
  const db = orm.em.getKysely<unknown>()
  const transaction = createTransaction(orm)
  const writer = randomUUID()
  const skipped = createSkippedLogCounter()
  const blocks = new Subject<CommittedBlock>()
  const gaveUp = Promise.withResolvers<unknown>()
  const stopped = new AbortController()
  const { signal } = stopped
  await claimDatabase(db, { chainId, genesisHash, weth, launchpads: withVersions(launchpads), pegUsd }, writer)
  let list = await readListInForce(db)
  warnOfNewerAdapters(list, logger)
  let wanted = config.launchpads
  let edits: LaunchpadEdits | null = null
  let heldBlock: number | null = null

  const openWith = async (directory: Directory | null, health?: ReturnType<OpenedIndexing['health']>): Promise<OpenedIndexing> => {
    const held = { heldBlock: () => heldBlock }
    const opened = await openIndexing({ ...options, ...held, writer, list, directory, skipped, ...(health && { health }) })
    void opened.gaveUp.then(gaveUp.resolve)
    return opened
  }
  let current = await openWith(null)
  let isOpen = true
  const follow = () => void current.blocks.subscribe(block => blocks.next(block))

  /** The commit that changed the list, which may have lost its answer. */
  const emitJoin = async (): Promise<void> => {
    const block = await transaction(async tx => {
      const cursor = await lockCursor(tx, writer)
      const to = (await readRecentBlocks(tx, 1)).at(-1)
      if (cursor === null || to === undefined) return null
      return committedAgain(tx, { to, mode: 'reorg' }, cursor, { chainId, isWatched, now })
    })
    if (block !== null) blocks.next(block)
  }

  /** Opens the index of the list that is in force now. Tries until it succeeds or the service stops. @param before the list until then */
  const reopen = async (before: ListInForce, directory: Directory | null): Promise<void> => {
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
        await pause(Math.min(MAX_PAUSE_MS, 200 * 2 ** Math.min(failures, 5)), signal)
      }
    }
  }

  const isTooDeep = (): boolean => {
    const { stopped: cause, tooDeepReorgAt } = current.health()
    return cause !== null && tooDeepReorgAt !== null
  }

  const whileChanging: LaunchpadEditsOptions['whileChanging'] = async (held, change) => {
    let directory: Directory | null = null
    // A request to rebuild is in it, too, and came after this index was opened.
    const before = await readListInForce(db)
    heldBlock = held === null ? null : held + 1
    try {
      directory = await change(async () => {
        if (!isOpen) return
        await current.stop()
        isOpen = false
        await current.close()
      })
    } finally {
      heldBlock = null
      if (!isOpen) await reopen(before, directory)
    }
  }

  return {
    chainId,
    writer,
    launchpads: () => ({ weth, ...list }),
    blocks: new Observable(subscriber => {
      const subscription = blocks.subscribe(subscriber)
      if (edits !== null) return subscription
      follow()
      edits = startLaunchpadEdits({ ...options, db, transaction, databaseUrl, writer, whileChanging, isTooDeep }, wanted)
      return subscription
    }),
    want: next => {
      wanted = next
      edits?.want(next)
    },
    changing: () => edits?.changing() ?? [],
    problem: () => edits?.problem() ?? null,
    view: { state: () => current.view.state(), chain: () => current.view.chain() },
    gaveUp: gaveUp.promise,
    metadata: () => current.metadata(),
    skippedLogs: skipped.counts,
    stop: async () => {
      stopped.abort()
      const late = setTimeout(() => impatience.abort(), DATABASE_PATIENCE_MS)
      await edits?.stop()
      clearTimeout(late)
      if (isOpen) await current.stop()
      blocks.complete()
    },
    close: async () => {
      if (isOpen) await current.close()
      await close()
    },
  }
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
