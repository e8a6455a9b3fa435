import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { merge, type Observable, tap } from 'rxjs'
import type { ChainSource } from '#chain/chainSource.ts'
import type { Config } from '#config'
import type { Address } from '#domain/address.ts'
import { createCandleFolding, createMinuteRetention } from '#jobs/candleJobs.ts'
import { type CommitJob, type CommitNotice, createJobRuns, createStepJob } from '#jobs/commitJob.ts'
import { createCurrencyReader } from '#jobs/currencyReader.ts'
import { createHolderClassifier } from '#jobs/holderClassifier.ts'
import { createLeaderCounter } from '#jobs/leaderCounter.ts'
import { createLpFeeRefresher } from '#jobs/lpFeeRefresher.ts'
import { createAttempt } from '#jobs/metadata/attempt.ts'
import { createMetadataReader, type MetadataView } from '#jobs/metadata/metadataReader.ts'
import { publicOutbound } from '#jobs/metadata/outbound.ts'
import { createUnseenPools } from '#jobs/unseenPools.ts'
import type { LaunchpadAdapter } from '#launchpads/adapter.ts'
import type { Directory } from '#launchpads/directory/directory.ts'
import { createAdapters } from '#launchpads/registry.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import type { IndexingView } from '#resources/health.ts'
import type { Rpc } from '#rpc/rpc.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { createOrm } from '#store/connection/orm.ts'
import { DATABASE_PATIENCE_MS } from '#store/connection/silence.ts'
import { createTransaction, oneAtATime, type Transaction } from '#store/connection/transaction.ts'
import { type BlockTime, readRecentBlocks, readStoredBlocks } from '#store/rows/cursor.ts'
import type { ListInForce } from '#store/rows/listInForce.ts'
import { dropValueChanges } from '#store/rows/valueChanges.ts'
import { createCommitter, RECENT_BLOCKS, type SkippedLogCounter } from '#sync/committer.ts'
import type { SyncHealth } from '#sync/health.ts'
import { fetchRange, type RangeSource, type Watchlist } from '#sync/prefetch.ts'
import { createSync } from '#sync/sync.ts'
import type { ConnectedChain } from './connectChain.ts'
import { type OpenedKeptLogs, openKeptLogs } from './openKeptLogs.ts'
import { restoreDirectory } from './restoreDirectory.ts'

export interface OpenIndexingOptions {
  readonly config: Config
  readonly chain: Omit<ConnectedChain, 'launchpads'>
  /** The database is migrated, and this process holds the right to write to it. */
  readonly databaseUrl: string
  /** The name under which this process has claimed the database. */
  readonly writer: string
  /** What the index is of. */
  readonly list: Pick<ListInForce, 'launchpads' | 'pegUsd'>
  /** As of the cursor. `null`: it is read from the database. */
  readonly directory: Directory | null
  /** The health of the index that this one continues. */
  readonly health?: SyncHealth
  readonly skipped: SkippedLogCounter
  /** As in `CommitOptions`. */
  readonly heldBlock: () => number | null
  /** Wraps the transaction that every commit goes through. */
  readonly delayed: (transaction: Transaction) => Transaction
  /** Whether the token has an actor. */
  isWatched(token: Address): boolean
  ethUsd(): string | null
  readonly now: () => number
  readonly logger: Logger
}

/** Synchronisation and the background jobs: everything that writes to the database while the list of launchpads stays the same. */
export interface OpenedIndexing {
  /** Indexes from the first subscription on. */
  readonly blocks: Observable<CommittedBlock>
  readonly view: IndexingView
  health(): SyncHealth
  /** As `gaveUp` of `Sync`. */
  readonly gaveUp: Promise<unknown>
  metadata(): MetadataView
  /** Resolves when the commit under way has been emitted and `blocks` has completed. */
  stop(): Promise<void>
  /** Aborts what is under way and closes all connections to the database. */
  close(): Promise<void>
}

/** At most this many blocks behind the confirmed head, the index counts as not behind. */
const NEAR_BLOCKS = 10

/**
 * Builds what works on the database and the chain. Nothing is indexed yet.
 *
 * @throws `TokenwireError` with the reason; nothing is left open then
 */
export async function openIndexing(options: OpenIndexingOptions): Promise<OpenedIndexing> {
  const impatience = new AbortController()
  const orm = createOrm(options.databaseUrl, options.logger, { giveUp: impatience.signal })
  const close = () => orm.close(true)
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
  const { config, chain, writer, list, skipped, heldBlock, delayed, isWatched, ethUsd, now, logger } = options
  const { rpc, source, chainId, genesisHash } = chain
  const { launchpads, pegUsd } = list
  const { weth } = config.launchpads
  const db = orm.em.getKysely<unknown>()

  const adapters = createAdapters({ weth, launchpads })
  void warnOfMissingContracts(rpc, adapters, logger)
  void warnOfWrongBlock(source, db, logger)
  const directory = options.directory ?? (await restoreDirectory(adapters, createTransaction(orm)))
  const transaction = delayed(oneAtATime(createTransaction(orm)))
  const { confirmations, maxReorgDepth } = config
  const database = { db, transaction, writer }
  const kept = await openKeptLogs({ config, chain, orm, adapters, logger })
  const committer = createCommitter({
    ...database,
    skipped,
    chainId,
    facts: kept.facts,
    weth,
    pegUsd,
    revaluedPerBlock: config.revaluedTokensPerBlock,
    adapters,
    directory,
    maxReorgDepth,
    heldBlock,
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
    health: options.health,
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
  const folding = createCandleFolding({ ...database, logger })
  const minutes = createMinuteRetention({ ...database, days: config.retainMinuteCandles, logger })
  const leaders = createLeaderCounter({ transaction: createTransaction(orm), isBehind: isFurther(NEAR_BLOCKS), now, logger })
  const valueChanges = createStepJob({
    ...database,
    step: dropValueChanges,
    everyBlocks: 100,
    failure: 'cannot drop old changes of values; the next block tries again',
    logger,
  })
  const unseenPools = createUnseenPools({ db, logger })
  unseenPools.committed()
  const followed = createFollowedKeeper({ kept, db, watchlist: directory, maxReorgDepth, isBehind: isFurther(NEAR_BLOCKS), logger })
  const committed = sync.blocks.pipe(
    tap(block => {
      followed.committed(block)
      unseenPools.committed()
      folding.committed(block)
      minutes.committed(block)
      leaders.committed(block)
      valueChanges.committed(block)
      currencies.committed(block)
      lpFees.committed(block)
      holders.committed(block)
    }),
  )

  return {
    blocks: merge(committed, metadata.updates, holders.updates, currencies.updates),
    view: {
      ...sync.view,
      state: () => {
        const state = sync.view.state()
        return { ...state, problems: [...state.problems, ...unseenPools.problems()] }
      },
    },
    health: sync.health,
    gaveUp: sync.gaveUp,
    metadata: () => metadata.view(),
    stop: async () => {
      const late = setTimeout(() => impatience.abort(), DATABASE_PATIENCE_MS)
      const jobs = [metadata, lpFees, holders, currencies, folding, minutes, valueChanges, leaders, followed, unseenPools]
      await Promise.all([sync, ...jobs].map(one => one.stop()))
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

/**
 * Finds wrong addresses in `launchpads.json`, which cause no error by themselves: no log ever comes from them. Reads the newest block.
 *
 * @throws `RpcError` when no provider answers
 */
export async function findMissingContracts(
  rpc: Pick<Rpc, 'request'>,
  adapters: readonly Pick<LaunchpadAdapter, 'launchpad' | 'contracts'>[],
): Promise<readonly { readonly launchpad: string; readonly address: Address }[]> {
  const named = adapters.flatMap(({ launchpad, contracts }) => contracts.map(({ address }) => ({ launchpad, address })))
  const codes = await Promise.all(named.map(({ address }) => rpc.request({ method: 'eth_getCode', params: [address, 'latest'] })))
  return named.filter((_, index) => codes[index] === '0x')
}

/** A stored block of which the chain shows another hash or time. */
export interface WrongBlock {
  readonly stored: BlockTime
  readonly shown: BlockTime
}

/**
 * The first of some stored blocks that the chain shows with another hash or time.
 *
 * @throws `RpcError`
 */
export async function findWrongBlock(source: Pick<ChainSource, 'headers'>, stored: readonly BlockTime[]): Promise<WrongBlock | null> {
  const headers = await source.headers(stored.map(({ number }) => number))
  for (const [index, block] of stored.entries()) {
    const shown = headers[index]
    if (shown !== undefined && (shown.hash !== block.hash || shown.timestamp !== block.timestamp)) return { stored: block, shown }
  }
  return null
}

/** What differs, and the command that mends it, for the log. */
export function wrongBlockSentence({ stored, shown }: WrongBlock): string {
  const difference =
    stored.hash === shown.hash
      ? `is stored with the time ${stored.timestamp}, and the chain shows ${shown.timestamp}`
      : `is stored with the hash ${stored.hash}, and the chain shows ${shown.hash}`
  return `Block ${stored.number} ${difference}. Stop the service and run: npm run db:rewind -- ${stored.number}`
}

/** A range costs a query of logs or a few; the headers are in the database. At most this many newest final blocks are not kept. */
const BLOCKS = 500
const MAX_LOGS = 20_000

export interface FollowedKeeperOptions {
  readonly kept: Pick<OpenedKeptLogs, 'ranges' | 'readEnd'>
  readonly db: Kysely<unknown>
  readonly watchlist: Watchlist
  readonly maxReorgDepth: number
  /** Whether indexing is far behind: what is fetched in ranges is kept by that. */
  isBehind(): boolean
  readonly logger: Logger
  /** Default 500. */
  readonly blocks?: number
}

/**
 * Keeps the logs of blocks that were followed one by one, once they are final: they are asked for again, by ranges, so that nothing is lost
 * when the process ends in between.
 */
export function createFollowedKeeper(options: FollowedKeeperOptions): CommitJob {
  const { kept, db, watchlist, maxReorgDepth, isBehind, logger, blocks = BLOCKS } = options
  /** The last block of the next range. */
  let due = 0

  const source: RangeSource = {
    ...kept.ranges,
    headers: async numbers => {
      const found = new Map((await readStoredBlocks(db, numbers)).map(header => [header.number, header]))
      const missing = numbers.filter(number => !found.has(number))
      for (const header of missing.length === 0 ? [] : await kept.ranges.headers(missing)) found.set(header.number, header)
      return numbers.flatMap(number => found.get(number) ?? [])
    },
    fetched: async range => {
      if (!runs.isStopped) await kept.ranges.fetched?.(range)
    },
  }

  const runs = createJobRuns<CommitNotice>({
    run: async ({ number }) => {
      const final = number - maxReorgDepth
      const end = (await kept.readEnd?.()) ?? -1
      // Older blocks are left to a rebuild: they may be many, as when nothing was kept for long.
      let from = Math.max(watchlist.startBlock, final - maxReorgDepth - 2 * blocks, end + 1)
      for (due = from + blocks - 1; due <= final && !runs.isStopped; due = from + blocks - 1) {
        from = (await fetchRange(source, watchlist, { from, to: due, announced: [], maxLogs: MAX_LOGS })).to.number + 1
      }
    },
    logger,
    failure: 'logs of followed blocks could not be kept, trying again after the next block',
  })

  return {
    committed: notice => {
      if (kept.readEnd !== null && notice.number - maxReorgDepth >= due && !isBehind()) runs.request(notice)
    },
    settled: runs.settled,
    stop: runs.stop,
  }
}
