import type { Logger } from 'pino'
import type { Config, Confirmations, LaunchpadConfig } from '#config'
import { createAdapters } from '#launchpads/registry.ts'
import { createOrm } from '#store/connection/orm.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { createTransaction, type Transaction } from '#store/connection/transaction.ts'
import { claimDatabase } from '#store/rows/cursor.ts'
import { createCommitter } from '#sync/committer.ts'
import { createSync } from '#sync/sync.ts'
import type { ConnectedChain } from './connectChain.ts'
import { restoreDirectory } from './restoreDirectory.ts'

/** Smaller ranges than an index alone has, so that the service beside it is not kept waiting for providers and the database. */
const RANGES = { minBlocks: 1, maxBlocks: 20_000, targetLogs: 5_000 }

export interface BesideIndexOptions {
  readonly config: Pick<Config, 'confirmations' | 'maxReorgDepth' | 'launchpads'>
  readonly chain: ConnectedChain
  readonly launchpads: readonly LaunchpadConfig[]
  /** The URL of its schema, which is migrated. */
  readonly url: string
  /** The name under which it writes. */
  readonly writer: string
  readonly now: () => number
  readonly logger: Logger
}

/** An index of some launchpads in a schema of its own. Nothing is read for it in the background, and it has no clients. */
export interface BesideIndex {
  readonly db: Queryable
  readonly transaction: Transaction
  /** Resolves with the error after which nothing more is indexed, if one comes. */
  readonly gaveUp: Promise<unknown>
  /** Resolves after the commit under way. */
  stop(): Promise<void>
  close(): Promise<void>
}

/** Goes on where the index in the schema stands, and follows the chain some blocks below the confirmed head. */
export async function openBesideIndex(options: BesideIndexOptions): Promise<BesideIndex> {
  const { config, chain, launchpads, url, writer, now, logger } = options
  const { rpc, source, chainId, genesisHash } = chain
  const { weth, pegUsd } = config.launchpads
  const { maxReorgDepth } = config
  const orm = createOrm(url, logger, { poolSize: 2, applicationName: 'tokenwire-beside' })
  const db = orm.em.getKysely<unknown>()
  const transaction = createTransaction(orm)
  await claimDatabase(db, { chainId, genesisHash, weth, launchpads }, writer)
  const adapters = createAdapters({ weth, launchpads })
  const directory = await restoreDirectory(adapters, transaction)
  const committer = createCommitter({
    db,
    transaction,
    writer,
    chainId,
    facts: source,
    weth,
    ...(pegUsd !== undefined && { pegUsd }),
    revaluedPerBlock: 0,
    adapters,
    directory,
    maxReorgDepth,
    isWatched: () => false,
    ethUsd: () => null,
    now,
    logger,
  })
  const confirmations = besideConfirmations(config)
  const sync = createSync({
    rpc,
    source,
    committer,
    watchlist: directory,
    genesisHash,
    confirmations,
    maxReorgDepth,
    logger,
    tuning: { ranges: RANGES },
  })
  sync.blocks.subscribe()
  return { db, transaction, gaveUp: sync.gaveUp, stop: sync.stop, close: () => orm.close(true) }
}

/** Below the cursor of the index that it joins, and within the blocks that this can undo. */
function besideConfirmations({ confirmations, maxReorgDepth }: Pick<Config, 'confirmations' | 'maxReorgDepth'>): Confirmations {
  return typeof confirmations === 'number' ? confirmations + Math.floor(maxReorgDepth / 2) : confirmations
}
