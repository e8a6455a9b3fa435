import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { merge, type Observable, tap } from 'rxjs'
import type { ChainSource } from '#chain/chainSource.ts'
import type { Config } from '#config'
import type { Address } from '#domain/address.ts'
import { createMinuteRetention } from '#jobs/candles/minuteRetention.ts'
import { createCurrencyReader } from '#jobs/currencies/currencyReader.ts'
import { createHolderClassifier } from '#jobs/holders/holderClassifier.ts'
import { createLpFeeRefresher } from '#jobs/lpFees/lpFeeRefresher.ts'
import { createAttempt } from '#jobs/metadata/attempt.ts'
import { createMetadataReader, type MetadataView } from '#jobs/metadata/metadataReader.ts'
import { publicOutbound } from '#jobs/metadata/outbound.ts'
import type { LaunchpadAdapter } from '#launchpads/adapter.ts'
import { createAdapters } from '#launchpads/registry.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import type { Rpc } from '#rpc/rpc.ts'
import { createOrm } from '#store/connection/orm.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { DATABASE_PATIENCE_MS } from '#store/connection/silence.ts'
import { createTransaction, oneAtATime, type Transaction } from '#store/connection/transaction.ts'
import { claimDatabase, readRecentBlocks } from '#store/rows/cursor.ts'
import { createCommitter, RECENT_BLOCKS } from '#sync/committer.ts'
import type { SyncView } from '#sync/healthReport.ts'
import { createSkippedLogCounter, type SkippedLogs } from '#sync/skippedLogs.ts'
import { createSync } from '#sync/sync.ts'
import { findWrongBlock, wrongBlockSentence } from '#sync/wrongBlock.ts'
import type { ConnectedChain } from './connectChain.ts'
import { findMissingContracts } from './findMissingContracts.ts'
import { openKeptLogs } from './openKeptLogs.ts'
import { requireLaunchpads } from './requireLaunchpads.ts'
import { restoreDirectory } from './restoreDirectory.ts'
import type { Indexing } from './startIndexing.ts'

export interface OpenIndexingOptions {
  readonly config: Config
  /** Closed with the rest. */
  readonly chain: ConnectedChain
  /** The database is migrated, and this process holds the right to write to it. */
  readonly databaseUrl: string
  /** Wraps the transaction that every commit goes through. */
  readonly paced: (transaction: Transaction) => Transaction
  /** Whether the token has an actor. */
  isWatched(token: Address): boolean
  ethUsd(): string | null
  readonly now: () => number
  readonly logger: Logger
}

/** Synchronisation and the background jobs: everything that writes to the database. */
export interface OpenedIndexing extends Pick<Indexing, 'chainId' | 'launchpads' | 'writer' | 'stop'> {
  /** As `blocks` of `Indexing`. */
  readonly blocks: Observable<CommittedBlock>
  readonly view: SyncView
  /** As `gaveUp` of `Sync`. */
  readonly gaveUp: Promise<unknown>
  metadata(): MetadataView
  skippedLogs(): readonly SkippedLogs[]
  /** Aborts what is under way and closes all connections. */
  close(): Promise<void>
}

/** At most this many blocks behind the confirmed head, the index counts as not behind. */
const NEAR_BLOCKS = 10

/**
 * Claims the database for the chain, and builds what works on both. Nothing is indexed yet.
 *
 * @throws `TokenwireError` with the reason; nothing is left open then
 */
export async function openIndexing(options: OpenIndexingOptions): Promise<OpenedIndexing> {
  const impatience = new AbortController()
  const orm = createOrm(options.databaseUrl, options.logger, { giveUp: impatience.signal })
  const close = async () => {
    options.chain.rpc.close()
    await orm.close(true)
  }
  try {
    return { ...(await build(options, orm, impatience)), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function build(
  options: OpenIndexingOptions,
  orm: ReturnType<typeof createOrm>,
  impatience: AbortController,
): Promise<Omit<OpenedIndexing, 'close'>> {
  const { config, chain, paced, isWatched, ethUsd, now, logger } = options
  const { rpc, source, chainId, launchpads, genesisHash } = chain
  const db = orm.em.getKysely<unknown>()
  const { weth, pegUsd } = config.launchpads
  const writer = randomUUID()
  requireLaunchpads(await claimDatabase(db, { chainId, genesisHash, weth, launchpads }, writer), launchpads)

  const adapters = createAdapters({ weth, launchpads })
  void warnOfMissingContracts(rpc, adapters, logger)
  void warnOfWrongBlock(source, db, logger)
  const directory = await restoreDirectory(adapters, createTransaction(orm))
  const transaction = paced(oneAtATime(createTransaction(orm)))
  const { confirmations, maxReorgDepth } = config
  const database = { db, transaction, writer }
  const kept = await openKeptLogs({ config, chain, orm, logger })
  const skipped = createSkippedLogCounter()
  const committer = createCommitter({
    ...database,
    skipped,
    chainId,
    facts: kept.facts,
    weth,
    ...(pegUsd !== undefined && { pegUsd }),
    revaluedPerBlock: config.revaluedTokensPerBlock,
    adapters,
    directory,
    maxReorgDepth,
    isWatched,
    ethUsd,
    now,
    logger,
  })
  const sync = createSync({
    rpc,
    source,
    ranges: kept.ranges,
    committer,
    watchlist: directory,
    genesisHash,
    confirmations,
    maxReorgDepth,
    logger,
  })
  const gateways = { ipfs: config.ipfsGateways, arweave: config.arweaveGateways }
  const settings = { fetch: config.metadataFetch, allowHttp: config.metadataAllowHttp, gateways }
  const attempt = createAttempt({ settings, outbound: publicOutbound(), logger, now })
  const metadata = createMetadataReader({ ...database, attempt, settings, logger, now })
  // The lag is unknown while no provider shows the head.
  const isFurther = (blocks: number) => () => (sync.view.state().lagBlocks ?? Number.POSITIVE_INFINITY) > blocks
  const everyBlocks = config.claimableRefreshBlocks
  const lpFees = createLpFeeRefresher({ ...database, rpc, adapters, everyBlocks, isBehind: isFurther(everyBlocks), logger })
  const holders = createHolderClassifier({ ...database, rpc, isBehind: isFurther(NEAR_BLOCKS), now, logger })
  const currencies = createCurrencyReader({ ...database, rpc, now, logger })
  const minutes = createMinuteRetention({ ...database, days: config.retainMinuteCandles, logger })
  const committed = sync.blocks.pipe(
    tap(block => {
      minutes.committed(block)
      currencies.committed(block)
      lpFees.committed(block)
      holders.committed(block)
    }),
  )

  return {
    chainId,
    launchpads,
    writer,
    blocks: merge(committed, metadata.updates, holders.updates, currencies.updates),
    view: sync.view,
    gaveUp: sync.gaveUp,
    metadata: () => metadata.view(),
    skippedLogs: skipped.counts,
    stop: async () => {
      const late = setTimeout(() => impatience.abort(), DATABASE_PATIENCE_MS)
      await Promise.all([sync.stop(), metadata.stop(), lpFees.stop(), holders.stop(), currencies.stop(), minutes.stop()])
      await kept.close()
      clearTimeout(late)
    },
  }
}

async function warnOfMissingContracts(rpc: Rpc, adapters: readonly LaunchpadAdapter[], logger: Logger): Promise<void> {
  // Only a hint: health shows a provider that does not answer.
  const missing = await findMissingContracts(rpc, adapters).catch(() => [])
  for (const contract of missing)
    logger.warn(contract, 'LAUNCHPADS_FILE: the chain has no contract at this address, nothing will come from it')
}

/** Compares the most recent remembered blocks with the chain. `npm run db:check` compares older ones. */
async function warnOfWrongBlock(source: ChainSource, db: Queryable, logger: Logger): Promise<void> {
  try {
    const wrong = await findWrongBlock(source, await readRecentBlocks(db, RECENT_BLOCKS))
    // After a reorg while the service was stopped, the hash differs, and the block is replaced.
    if (wrong !== null && wrong.stored.hash === wrong.shown.hash) logger.error(wrongBlockSentence(wrong))
  } catch (error) {
    logger.debug({ err: error }, 'the remembered blocks could not be compared with the chain')
  }
}
