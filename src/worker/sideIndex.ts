import type { Logger } from 'pino'
import type { Config, Confirmations, LaunchpadConfig } from '#config'
import { createAdapters } from '#launchpads/registry.ts'
import { createOrm } from '#store/connection/orm.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { createTransaction, type Transaction } from '#store/connection/transaction.ts'
import { claimDatabase } from '#store/rows/cursor.ts'
import { createSync } from '#sync/sync.ts'
import type { ConnectedChain } from './connectChain.ts'
import { restoreDirectory } from './restoreDirectory.ts'
import { createUnwatchedCommitter } from './unwatchedCommitter.ts'

/** Smaller ranges than an index alone has, so that the main index is not kept waiting for providers and the database. */
const RANGES = { minBlocks: 1, maxBlocks: 20_000, targetLogs: 5_000 }

export interface SideIndexOptions {
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

/**
 * A side index: an index of some launchpads in a schema of its own, which joins the main index later.
 * Nothing is read for it in the background, and it has no clients.
 */
export interface SideIndex {
  readonly db: Queryable
  readonly transaction: Transaction
  /** Resolves with the error after which nothing more is indexed, if one comes. */
  readonly gaveUp: Promise<unknown>
  /** Resolves after the commit under way. */
  stop(): Promise<void>
  close(): Promise<void>
}

/** Goes on where the index in the schema stands, and follows the chain some blocks below the confirmed head. */
export async function openSideIndex(options: SideIndexOptions): Promise<SideIndex> {
  const { config, chain, launchpads, url, writer, now, logger } = options
  const { rpc, source, chainId, genesisHash } = chain
  const { weth } = config.launchpads
  const { maxReorgDepth } = config
  const orm = createOrm(url, logger, { poolSize: 2, applicationName: 'tokenwire-side' })
  const db = orm.em.getKysely<unknown>()
  const transaction = createTransaction(orm)
  await claimDatabase(db, { chainId, genesisHash, weth, launchpads }, writer)
  const adapters = createAdapters({ weth, launchpads })
  const directory = await restoreDirectory(adapters, transaction)
  const committer = createUnwatchedCommitter({ config, chain, db, transaction, writer, adapters, directory, now, logger })
  const confirmations = sideConfirmations(config)
  void warnOfShortChain(chain, confirmations, directory.startBlock, logger)
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
function sideConfirmations({ confirmations, maxReorgDepth }: Pick<Config, 'confirmations' | 'maxReorgDepth'>): Confirmations {
  return typeof confirmations === 'number' ? confirmations + Math.floor(maxReorgDepth / 2) : confirmations
}

/** Nothing can join before the side index has its first block. */
async function warnOfShortChain({ source }: ConnectedChain, confirmations: Confirmations, from: number, logger: Logger): Promise<void> {
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
