import { randomUUID } from 'node:crypto'
import pino from 'pino'
import type { BatchMode } from '#domain/batch.ts'
import { createAdapters } from '#launchpads/registry.ts'
import { createOrm } from '#store/connection/orm.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { createTransaction, type Transaction } from '#store/connection/transaction.ts'
import { claimDatabase } from '#store/rows/cursor.ts'
import type { FetchedBatch } from '#sync/batch.ts'
import { type Committer, createCommitter } from '#sync/committer.ts'
import { restoreDirectory } from '#worker/restoreDirectory.ts'
import { type GrowthBlock, tradeBlock } from './chainLogs.ts'
import { CHAIN_ID, IDENTITY } from './loadTables.ts'
import { FIRST_BLOCK, type GrowthScale } from './scale.ts'
import type { TokenPlan } from './tokenPlan.ts'

export interface CommitPlan {
  readonly scale: GrowthScale
  /** The tokens that are traded. */
  readonly tokens: readonly TokenPlan[]
  /** Followed blocks, with their number of trades. */
  readonly blocks: number
  readonly tradesPerBlock: number
  /** Backfilled ranges, with their number of blocks and trades. */
  readonly batches: number
  readonly blocksPerBatch: number
}

/** Durations of single commits in ms, in order. */
export interface CommitTimes {
  readonly blocksMs: readonly number[]
  readonly batchesMs: readonly number[]
  /** Trades of one batch; it writes about eight times as many rows. */
  readonly tradesPerBatch: number
}

/** Commits blocks and ranges after the cursor of a database, and times each from decoded RPC answers to the end of the transaction. */
export async function timeCommits(databaseUrl: string, plan: CommitPlan): Promise<CommitTimes> {
  const { tradesPerBlock, blocksPerBatch } = plan
  return withCommitter(databaseUrl, async committer => {
    const takeBlock = await blocksAfterCursor(committer, plan)
    const take = (count: number) => Array.from({ length: count }, () => takeBlock(plan.tokens))
    const time = (blocks: readonly GrowthBlock[], mode: BatchMode) => timeCommit(committer, blocks, mode)
    // The first commits warm up connections, plans and code.
    for (let round = 0; round < 3; round++) await time(take(blocksPerBatch), 'range')
    const batchesMs: number[] = []
    for (let round = 0; round < plan.batches; round++) batchesMs.push(await time(take(blocksPerBatch), 'range'))
    for (let round = 0; round < 10; round++) await time(take(1), 'live')
    const blocksMs: number[] = []
    for (let round = 0; round < plan.blocks; round++) blocksMs.push(await time(take(1), 'live'))
    return { blocksMs, batchesMs, tradesPerBatch: blocksPerBatch * tradesPerBlock }
  })
}

/** Runs work with a committer of a database over one connection. */
export async function withCommitter<T>(databaseUrl: string, work: (committer: Committer, db: Queryable) => Promise<T>): Promise<T> {
  const orm = createOrm(databaseUrl, pino({ level: 'silent' }), { poolSize: 1 })
  const db = orm.em.getKysely<unknown>()
  try {
    return await work(await openCommitter(db, createTransaction(orm)), db)
  } finally {
    await orm.close(true)
  }
}

/** Makes one block after the other, of trades of the given tokens. */
export async function blocksAfterCursor(
  committer: Committer,
  { scale, tradesPerBlock }: Pick<CommitPlan, 'scale' | 'tradesPerBlock'>,
): Promise<(tokens: readonly TokenPlan[]) => GrowthBlock> {
  const cursor = (await committer.recentBlocks()).at(-1)
  let next = (cursor?.number ?? FIRST_BLOCK - 1) + 1
  return tokens => tradeBlock(scale, next++, tokens, tradesPerBlock)
}

/** In ms, from decoded RPC answers to the end of the transaction. */
export async function timeCommit(committer: Committer, blocks: readonly GrowthBlock[], mode: BatchMode): Promise<number> {
  const batch = batchOf(blocks, mode)
  const began = performance.now()
  await committer.commit({ kind: 'batch', to: batch.to, batch: await committer.prepare(batch, null) })
  return performance.now() - began
}

async function openCommitter(db: Queryable, transaction: Transaction): Promise<Committer> {
  const writer = randomUUID()
  await claimDatabase(db, IDENTITY, writer)
  const adapters = createAdapters(IDENTITY)
  return createCommitter({
    transaction,
    db,
    isWatched: () => true,
    chainId: CHAIN_ID,
    writer,
    weth: IDENTITY.weth,
    adapters,
    directory: await restoreDirectory(adapters, transaction),
    senders: async () => new Map(),
    maxReorgDepth: 128,
    revaluedPerBlock: 20,
    ethUsd: () => '3055.12',
    now: () => performance.now(),
    logger: pino({ level: 'silent' }),
  })
}

function batchOf(blocks: readonly GrowthBlock[], mode: BatchMode): FetchedBatch {
  const [first, last] = [blocks[0], blocks.at(-1)]
  if (first === undefined || last === undefined) throw new RangeError('an empty batch')
  const headers = blocks.map(({ header }) => header)
  const logs = blocks.flatMap(block => block.logs)
  const to = last.header
  return { stage: 'fetched', mode, from: first.header.number, first: first.header, to, blocks: [to], headers, logs, announced: [] }
}
