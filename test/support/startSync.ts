import { filter, firstValueFrom, ReplaySubject } from 'rxjs'
import { createChainSource } from '#chain/chainSource.ts'
import type { LaunchpadConfig } from '#config'
import { createAdapters } from '#launchpads/registry.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import { createRpc } from '#rpc/rpc.ts'
import { createTransaction } from '#store/connection/transaction.ts'
import { claimDatabase } from '#store/rows/cursor.ts'
import { createCommitter } from '#sync/committer.ts'
import { createSync } from '#sync/sync.ts'
import { restoreDirectory } from '#worker/restoreDirectory.ts'
import type { TestChain } from './chain.ts'
import { silentLogger, type TestDatabase } from './database.ts'

interface StartSyncOptions {
  readonly urls: readonly string[]
  readonly launchpads: readonly LaunchpadConfig[]
  readonly maxReorgDepth: number
}

/** An indexer over a test chain and database, as the service builds it. */
export async function startSync(chain: TestChain, database: TestDatabase, { urls, launchpads, maxReorgDepth }: StartSyncOptions) {
  const { chainId, weth } = chain.deployment
  const rpc = createRpc({ urls, chainId, logger: silentLogger })
  await rpc.connect()
  const source = createChainSource({ rpc })
  const genesisHash = (await source.header(0)).hash
  await claimDatabase(database.kysely, { chainId, genesisHash, weth, launchpads }, 'test')
  const adapters = createAdapters({ weth, launchpads })
  const directory = await restoreDirectory(adapters, createTransaction(database.orm))
  const committer = createCommitter({
    transaction: createTransaction(database.orm),
    db: database.orm.em.getKysely<unknown>(),
    chainId,
    writer: 'test',
    weth,
    adapters,
    directory,
    facts: source,
    maxReorgDepth,
    revaluedPerBlock: 0,
    isWatched: () => true,
    ethUsd: () => null,
    now: () => performance.now(),
    logger: silentLogger,
  })
  const sync = createSync({
    rpc,
    source,
    committer,
    watchlist: directory,
    genesisHash,
    maxReorgDepth,
    confirmations: 0,
    logger: silentLogger,
  })
  const blocks: CommittedBlock[] = []
  const committed = new ReplaySubject<CommittedBlock>()
  sync.blocks.subscribe(committed)
  committed.subscribe(block => blocks.push(block))
  return {
    sync,
    /** What was committed so far. */
    blocks,
    /** Resolves when this block is committed; by its hash, so that a replaced one does not count. */
    reached: (hash: string) => firstValueFrom(committed.pipe(filter(block => block.hash === hash))),
    stop: async () => {
      await sync.stop()
      rpc.close()
    },
  }
}
