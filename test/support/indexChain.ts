import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import pino from 'pino'
import type { Hex, PublicClient } from 'viem'
import type { MinedTransaction } from '#chain/chainSource.ts'
import type { LaunchpadConfig } from '#config'
import { type Address, toAddress } from '#domain/address.ts'
import type { BatchMode, BlockHeader, ChainLog } from '#domain/block.ts'
import type { BlockCalls, CallAnswer, ContractCall } from '#domain/contractCall.ts'
import { createAdapters } from '#launchpads/registry.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { createTransaction, type Transaction } from '#store/connection/transaction.ts'
import { claimDatabase } from '#store/rows/cursor.ts'
import { WHOLE_CANDLES } from '#store/rows/foldMinutes.ts'
import { type Committer, type CommitterOptions, createCommitter } from '#sync/committer.ts'
import type { FetchedBatch } from '#sync/state.ts'
import { restoreDirectory } from '#worker/restoreDirectory.ts'
import type { TestChain } from './chain.ts'
import type { TestDatabase } from './database.ts'

/** The write path over a test chain and database, called by tests. */
export interface ChainIndex {
  readonly committer: Committer
  /** The name under which the database is claimed. */
  readonly writer: string
  /** Commits blocks `from` to `to` (default: the head) as one batch. */
  indexRange(from: number, to?: number): Promise<CommittedBlock>
  /** Blocks `from` to `to` as a range of a backfill. */
  range(from: number, to: number): Promise<FetchedBatch>
  /** Commits every block from `from` to the head by itself; `behind`: all but the last as while catching up. */
  indexEach(from: number, options?: { readonly behind: boolean }): Promise<readonly CommittedBlock[]>
}

interface OpenChainOptions extends Partial<Pick<CommitterOptions, 'revaluedPerBlock' | 'pegUsd'>> {
  /** What calls answer. Default: what the chain does. */
  readonly answers?: (call: ContractCall) => CallAnswer
}

export async function openChainIndex(
  chain: TestChain,
  database: Pick<TestDatabase, 'orm' | 'kysely'>,
  ethUsd: string | null = null,
  launchpads: readonly LaunchpadConfig[] = [referenceLaunchpad(chain)],
  isWatched: (token: Address) => boolean = () => true,
  around: (transaction: Transaction) => Transaction = transaction => transaction,
  { revaluedPerBlock = 0, pegUsd, answers }: OpenChainOptions = {},
): Promise<ChainIndex> {
  const { chainId, weth } = chain.deployment
  const writer = randomUUID()
  const genesis = await chain.client.getBlock({ blockNumber: 0n })
  await claimDatabase(database.kysely, { chainId, genesisHash: genesis.hash, weth, launchpads }, writer)
  const adapters = createAdapters({ weth, launchpads })
  const directory = await restoreDirectory(adapters, createTransaction(database.orm))
  const committer = createCommitter({
    transaction: around(createTransaction(database.orm)),
    db: database.orm.em.getKysely<unknown>(),
    maxReorgDepth: 0,
    revaluedPerBlock,
    ...(pegUsd !== undefined && { pegUsd }),
    chainId,
    writer,
    weth,
    adapters,
    directory,
    facts: {
      senders: transactions => readSenders(chain, transactions),
      answers: async blocks =>
        new Map(
          await Promise.all(
            blocks.map(async block => [block.hash, answers ? block.calls.map(answers) : await readAnswers(chain, block)] as const),
          ),
        ),
    },
    isWatched,
    ethUsd: () => ethUsd,
    now: () => performance.now(),
    logger: pino({ level: 'silent' }),
  })
  const head = async () => Number(await chain.client.getBlockNumber({ cacheTime: 0 }))
  const fetch = async (from: number, to: number, mode: BatchMode): Promise<FetchedBatch> => {
    // A batch may be fetched before the batch that announces its tokens is committed.
    const all = (await readLogs(chain, mode === 'live' ? from : 1, to)).filter(({ topics: [topic] }) => directory.isUnderstood(topic))
    const added = new Set<Hex>(directory.discover(all))
    const logs = all.filter(log => log.blockNumber >= from && (directory.has(log.address) || added.has(log.address)))
    const numbers = [...new Set(logs.map(log => log.blockNumber))]
    const headers = await Promise.all(numbers.map(number => readHeader(chain, number)))
    const [first, last] = [await readHeader(chain, from), await readHeader(chain, to)]
    return { mode, from, first, to: last, blocks: [last], headers, logs, announced: [...added] }
  }
  const commit = async (batch: FetchedBatch) =>
    committer.commit({ kind: 'batch', to: batch.to, batch: await committer.prepare(batch, null) })
  const settle = async (to: number) => committer.commit({ kind: 'settle', to: await readHeader(chain, to) })
  return {
    committer,
    writer,
    indexRange: async (from, to) => {
      const last = to ?? (await head())
      const committed = await commit(await fetch(from, last, 'range'))
      await settle(last)
      return committed
    },
    range: (from, to) => fetch(from, to, 'range'),
    indexEach: async (from, { behind } = { behind: false }) => {
      const blocks: CommittedBlock[] = []
      const last = await head()
      for (let number = from; number <= last; number += 1)
        blocks.push(await commit(await fetch(number, number, behind && number < last ? 'catchUp' : 'live')))
      return blocks
    },
  }
}

/** The launchpad of the test chain as `launchpads.json` would name it. */
function referenceLaunchpad({ deployment: { startBlock, launchpad } }: TestChain): LaunchpadConfig {
  return { name: 'reference', adapter: 'bonding-curve', startBlock, contracts: { factory: launchpad } }
}

async function readHeader(chain: TestChain, number: number): Promise<BlockHeader> {
  const block = await chain.client.getBlock({ blockNumber: BigInt(number) })
  return { number, hash: block.hash, parentHash: block.parentHash, timestamp: Number(block.timestamp) }
}

async function readSenders(chain: TestChain, transactions: readonly MinedTransaction[]): Promise<ReadonlyMap<Hex, Address>> {
  const found = await Promise.all(transactions.map(({ txHash: hash }) => chain.client.getTransaction({ hash })))
  return new Map(found.map(({ hash, from }) => [hash, toAddress(from)]))
}

/** One call at a time, as a plain client makes them. */
function readAnswers(chain: TestChain, { number, calls }: BlockCalls): Promise<readonly CallAnswer[]> {
  const one = async (call: ContractCall) => (await chain.client.call({ ...call, blockNumber: BigInt(number) })).data ?? '0x'
  return Promise.all(calls.map(call => one(call).catch(() => null)))
}

/** All logs of a range, as a plain client reads them. */
export async function readLogs({ client }: { readonly client: PublicClient }, from: number, to: number): Promise<ChainLog[]> {
  const logs = await client.getLogs({ fromBlock: BigInt(from), toBlock: BigInt(to) })
  return logs.map(log => ({
    address: toAddress(log.address),
    topics: log.topics as readonly Hex[],
    data: log.data,
    blockNumber: Number(log.blockNumber),
    blockHash: log.blockHash,
    txHash: log.transactionHash,
    txIndex: log.transactionIndex,
    logIndex: log.logIndex,
  }))
}

/** Every row of the tables that the chain determines, sorted, without sequences and times of commits. */
export async function dumpTables(db: Queryable): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const dump: Record<string, readonly unknown[]> = {}
  for (const [table, stamped, key] of DUMPED) {
    const { rows } = await sql<{ row: unknown }>`
      select to_jsonb(entry.*) - ${stamped}::text[] as row from ${table === 'candle' ? sql.raw(WHOLE_CANDLES) : sql.table(table)} as entry order by ${sql.raw(key)}`.execute(
      db,
    )
    dump[table] = rows.map(({ row }) => row)
  }
  return dump
}

/** As `dumpTables`, without what depends on when a token was last revalued: a range values tokens at their own events only. */
export async function dumpWithoutRates(db: Queryable): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const { token = [], launchpad_totals: totals = [], ...others } = await dumpTables(db)
  const kept = (row: unknown, left: readonly string[]) => Object.entries(row as object).filter(([column]) => !left.includes(column))
  return { ...others, token: token.map(row => kept(row, WORTH)), totals: totals.map(row => kept(row, ['liquidity_weth'])) }
}

const WORTH: readonly string[] = ['quote_rate', 'quote_usd', 'price_weth', 'market_cap_weth', 'liquidity_weth']

/** `windows_at` is the time of a token's last ageing, which depends on the batches. */
const DUMPED: readonly (readonly [table: string, stamped: readonly string[], key: string])[] = [
  ['token', ['sequence', 'updated_at_ms', 'windows_at'], 'address'],
  ['token_name', [], 'token'],
  ['pool', [], 'address'],
  ['pool_tick', [], 'pool, tick'],
  ['trade', [], 'block_number, log_index'],
  ['join_exit', [], 'block_number, log_index, pool'],
  ['pool_creation', [], 'pool'],
  ['milestone', [], 'kind, block_number, log_index'],
  ['balance', [], 'token, holder'],
  ['early_class', [], 'token, class'],
  ['candle', [], 'token, interval_seconds, time'],
  ['creator_fee', [], 'launchpad, creator, currency, token'],
  ['trader', [], 'maker'],
  ['launchpad_totals', [], 'launchpad'],
  ['announced_contract', [], 'address'],
]
