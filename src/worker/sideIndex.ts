import { isDeepStrictEqual } from 'node:util'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Config, Confirmations } from '#config'
import { withSchema } from '#domain/databaseUrl.ts'
import { isIdle, planLaunchpads } from '#launchpads/planLaunchpads.ts'
import { createAdapters } from '#launchpads/registry.ts'
import type { LaunchpadProgress } from '#resources/health.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { createOrm } from '#store/connection/orm.ts'
import { createTransaction, type Transaction } from '#store/connection/transaction.ts'
import { migrate } from '#store/migrations/migrate.ts'
import { claimDatabase } from '#store/rows/cursor.ts'
import { type ListInForce, readListInSchema } from '#store/rows/listInForce.ts'
import { dropSideSchema, readSideSchema } from '#store/switchSchema.ts'
import { type ChangingCommitter, type CommitterOptions, createCommitter } from '#sync/committer.ts'
import { createSync, type Sync } from '#sync/sync.ts'
import type { ConnectedChain } from './connectChain.ts'
import { openKeptLogs } from './openKeptLogs.ts'
import { restoreDirectory } from './restoreDirectory.ts'

/** Smaller ranges than an index alone has, so that the main index is not kept waiting for providers, the thread and the database. */
const RANGES = { minBlocks: 1, maxBlocks: 20_000, targetLogs: 2_000 }

export interface SideIndexOptions {
  readonly config: Config
  readonly chain: Omit<ConnectedChain, 'launchpads'>
  /** A connection to the main index. */
  readonly main: Kysely<unknown>
  readonly mainUrl: string
  /** What the side index is of. */
  readonly list: Pick<ListInForce, 'launchpads' | 'pegUsd'>
  /** The name under which it writes. */
  readonly writer: string
  readonly now: () => number
  readonly logger: Logger
}

/**
 * A side index: an index of some launchpads in a schema of its own, which joins the main index later. Nothing is read for it in the
 * background, and it has no clients.
 */
export interface SideIndex {
  readonly schema: string
  readonly db: Queryable
  readonly transaction: Transaction
  progress(): Pick<LaunchpadProgress, 'indexedBlock' | 'blocksLeft' | 'eventsPerSecond' | 'secondsLeft'>
  /** Resolves with the error after which nothing more is indexed, if one comes. */
  readonly gaveUp: Promise<unknown>
  /** Resolves after the commit under way. */
  stop(): Promise<void>
  /** Stops, and closes the connections. The schema stays. */
  close(): Promise<void>
}

/**
 * Opens the side index and indexes. Goes on with what is in its schema, if that is of the same list and of the same adapters, else begins
 * anew. Follows the chain some blocks below the confirmed head.
 */
export async function openSideIndex(options: SideIndexOptions): Promise<SideIndex> {
  const { config, chain, main, mainUrl, list, writer, now } = options
  const { rpc, source, chainId, genesisHash } = chain
  const { weth } = config.launchpads
  const logger = options.logger.child({ index: 'side' })
  const schema = await readSideSchema(main)
  const url = withSchema(mainUrl, schema)
  if (!(await isOf(main, schema, list))) await dropSideSchema(main)
  await migrate(url, logger)
  const orm = createOrm(url, logger, { poolSize: 2, applicationName: 'tokenwire-side' })
  try {
    const db = orm.em.getKysely<unknown>()
    const transaction = createTransaction(orm)
    await claimDatabase(db, { chainId, genesisHash, weth, ...list }, writer)
    const adapters = createAdapters({ weth, ...list })
    const directory = await restoreDirectory(adapters, transaction)
    const kept = await openKeptLogs({ config, chain, orm, adapters, logger })
    const database = { db, transaction, writer }
    const valued = { weth, pegUsd: list.pegUsd, facts: kept.facts, ethUsd: () => null }
    const committer = createUnwatchedCommitter(config, chain, { ...database, adapters, directory, ...valued, now, logger })
    const confirmations = sideConfirmations(config)
    void warnOfShortChain(chain, confirmations, directory.startBlock, logger)
    const sync = createSync({
      rpc,
      source,
      ranges: kept.ranges,
      committer,
      watchlist: directory,
      genesisHash,
      confirmations,
      maxReorgDepth: config.maxReorgDepth,
      logger,
      tuning: { ranges: RANGES },
    })
    sync.blocks.subscribe()
    const close = async () => {
      await sync.stop()
      await kept.close()
      await orm.close(true)
    }
    return { schema, db, transaction, progress: () => progressOfSync(sync), gaveUp: sync.gaveUp, stop: sync.stop, close }
  } catch (error) {
    await orm.close(true)
    throw error
  }
}

/** Whether the schema holds an index of this list, built by these versions of the adapters. */
async function isOf(main: Kysely<unknown>, schema: string, list: SideIndexOptions['list']): Promise<boolean> {
  const stored = await readListInSchema(main, schema)
  const versions = ({ launchpads }: SideIndexOptions['list']) => launchpads.map(({ name, version }) => ({ name, version }))
  return stored !== null && isIdle(planLaunchpads(stored, list)) && isDeepStrictEqual(versions(stored), versions(list))
}

function progressOfSync({ view }: Sync): ReturnType<SideIndex['progress']> {
  const { indexedBlock, lagBlocks, backfill } = view.state()
  return {
    indexedBlock: indexedBlock === null ? null : String(indexedBlock),
    blocksLeft: lagBlocks,
    eventsPerSecond: backfill?.eventsPerSecond ?? null,
    secondsLeft: backfill?.secondsLeft ?? null,
  }
}

/** Below the cursor of the index that it joins, and within the blocks that this can undo. */
function sideConfirmations(config: Pick<Config, 'confirmations' | 'maxReorgDepth'>): Confirmations {
  const { confirmations } = config
  return typeof confirmations === 'number' ? confirmations + stayBelow(config) : confirmations
}

/** How many blocks are applied again at a join: reorgs up to this depth can be undone right after it. */
export function stayBelow({ maxReorgDepth }: Pick<Config, 'maxReorgDepth'>): number {
  return Math.floor(maxReorgDepth / 2)
}

/** Nothing can join before the side index has its first block. */
async function warnOfShortChain(
  { source }: SideIndexOptions['chain'],
  confirmations: Confirmations,
  from: number,
  logger: Logger,
): Promise<void> {
  // Only a hint: the progress shows a chain that can't be asked.
  const tip = await source.tip({ confirmations, announced: false, next: null }).catch(() => null)
  const left = tip === null ? 0 : from - tip.confirmed.number
  if (left > 0) {
    logger.info(
      { startBlock: from, headBlock: tip?.head.number, blocks: left },
      'the launchpads begin too near the head: they join when the chain has this many blocks more (half of MAX_REORG_DEPTH)',
    )
  }
}

/** A committer whose commits read no states for clients. */
export function createUnwatchedCommitter(
  { maxReorgDepth }: Pick<Config, 'maxReorgDepth'>,
  { chainId }: Pick<ConnectedChain, 'chainId'>,
  options: Omit<CommitterOptions, 'maxReorgDepth' | 'chainId' | 'revaluedPerBlock' | 'isWatched'>,
): ChangingCommitter {
  return createCommitter({ ...options, chainId, maxReorgDepth, revaluedPerBlock: 0, isWatched: () => false })
}
