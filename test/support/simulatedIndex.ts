import { sql } from 'kysely'
import type { BlockWithLogs } from '#chain/block.ts'
import type { LaunchpadConfig } from '#config'
import { type Address, type Hex, toAddress } from '#domain/address.ts'
import type { BlockHeader } from '#domain/block.ts'
import type { Directory } from '#launchpads/directory/directory.ts'
import { createAdapters } from '#launchpads/registry.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { createTransaction } from '#store/connection/transaction.ts'
import { claimDatabase } from '#store/rows/cursor.ts'
import { type ChangingCommitter, type CommitterOptions, createCommitter } from '#sync/committer.ts'
import { batchOf, type LinkedBlocks } from '#sync/prefetch.ts'
import { endOf, type FetchedBatch, type Replacement } from '#sync/state.ts'
import { restoreDirectory } from '#worker/restoreDirectory.ts'
import { silentLogger, type TestDatabase } from './database.ts'
import type { SimulatedChain } from './simulatedChain.ts'
import { CLANKER_V4, CLANKER_V31, DOLLAR, DOLLAR_POOL } from './simulatedClanker.ts'
import { FACTORY, START_BLOCK, WETH } from './simulatedLaunchpad.ts'
import { ZORA } from './simulatedZora.ts'

export const LAUNCHPADS: readonly LaunchpadConfig[] = [
  { name: 'reference', adapter: 'bonding-curve', startBlock: START_BLOCK, contracts: { factory: FACTORY } },
  { name: 'clanker', adapter: 'clanker-v3.1', startBlock: START_BLOCK, contracts: CLANKER_V31 },
  { name: 'clanker4', adapter: 'clanker-v4', startBlock: START_BLOCK, contracts: CLANKER_V4 },
  { name: 'zora', adapter: 'zora-coins', startBlock: START_BLOCK, contracts: ZORA },
  { name: 'dollars', adapter: 'quote-pool', startBlock: START_BLOCK, contracts: { token: DOLLAR, pool: DOLLAR_POOL } },
]

export interface OpenedIndex {
  readonly committer: ChangingCommitter
  readonly directory: Directory
}

export interface OpenIndexOptions {
  readonly genesisHash: Hex
  readonly maxReorgDepth: number
  /** Default 0: what ranges give is the same as what blocks give. */
  readonly revaluedPerBlock?: number
  /** Default `test`. */
  readonly writer?: string
  /** Default: every token is. */
  readonly isWatched?: (token: Address) => boolean
  /** Default: never known. */
  readonly ethUsd?: () => string | null
  /** Default: none is held. */
  readonly heldBlock?: CommitterOptions['heldBlock']
  /** Default: logs that can't be decoded are not counted. */
  readonly skipped?: CommitterOptions['skipped']
  /** Default: all that are simulated. */
  readonly launchpads?: readonly LaunchpadConfig[]
  /** Wraps every transaction. Default: nothing. */
  readonly around?: (transaction: CommitterOptions['transaction']) => CommitterOptions['transaction']
}

/** The write path of the simulated launchpad over a database, as a starting process builds it. */
export async function openIndex({ orm }: Pick<TestDatabase, 'orm'>, options: OpenIndexOptions): Promise<OpenedIndex> {
  const { genesisHash, writer = 'test', launchpads = LAUNCHPADS } = options
  await claimDatabase(orm.em.getKysely<unknown>(), { chainId: 1, genesisHash, weth: WETH, launchpads }, writer)
  return openWriter({ orm }, options, await readDirectory({ orm }, launchpads))
}

/** Simulated chains have no transactions and no contracts to ask. */
export const SIMULATED_FACTS: CommitterOptions['facts'] = {
  senders: async transactions => new Map(transactions.map(({ txHash }) => [txHash, toAddress(`0x${txHash.slice(-40)}`)])),
  answers: async blocks => new Map(blocks.map(({ hash, calls }) => [hash, calls.map(() => null)])),
}

/** As `openIndex`, for a database that is claimed, and with a directory of its own. */
export function openWriter({ orm }: Pick<TestDatabase, 'orm'>, options: OpenIndexOptions, directory: Directory): OpenedIndex {
  const {
    maxReorgDepth,
    revaluedPerBlock = 0,
    writer = 'test',
    isWatched = () => true,
    ethUsd = () => null,
    around = unchanged,
    heldBlock = () => null,
    skipped,
    launchpads = LAUNCHPADS,
  } = options
  const committer = createCommitter({
    transaction: around(createTransaction(orm)),
    db: orm.em.getKysely<unknown>(),
    chainId: 1,
    writer,
    weth: WETH,
    adapters: createAdapters({ weth: WETH, launchpads }),
    directory,
    facts: SIMULATED_FACTS,
    maxReorgDepth,
    heldBlock,
    revaluedPerBlock,
    isWatched,
    ethUsd,
    ...(skipped && { skipped }),
    now: () => 0,
    logger: silentLogger,
  })
  return { committer, directory }
}

const unchanged = (transaction: CommitterOptions['transaction']): CommitterOptions['transaction'] => transaction

/** The directory of a process that starts now. */
export async function readDirectory({ orm }: Pick<TestDatabase, 'orm'>, launchpads = LAUNCHPADS): Promise<Directory> {
  return restoreDirectory(createAdapters({ weth: WETH, launchpads }), createTransaction(orm))
}

/** Every address and pool id whose logs are fetched. */
export function watchedKeys(directory: Directory): readonly Hex[] {
  const { addresses, filtered } = directory.partsWith([])
  return [...addresses, ...filtered.flatMap(({ topics }) => [...(topics.at(-1) ?? [])])].toSorted()
}

/** Commits the canonical chain up to a block as one range: the reference index for comparisons. */
export async function indexAtOnce(
  database: Pick<TestDatabase, 'orm'>,
  chain: Pick<SimulatedChain, 'at'>,
  to: number,
  launchpads = LAUNCHPADS,
): Promise<void> {
  const index = await openIndex(database, { genesisHash: chain.at(0).header.hash, maxReorgDepth: 0, launchpads })
  const { startBlock } = index.directory
  const [first, ...others] = Array.from({ length: to - startBlock + 1 }, (_, above) => chain.at(startBlock + above))
  if (first === undefined) return
  await commitBatch(index, batchOf([first, ...others], 'range', index.directory, new Set()))
  await settle(index, chain.at(to).header)
}

type Writable = Pick<OpenedIndex, 'committer'>

/** Prepares a batch and commits it. */
export async function commitBatch({ committer }: Writable, batch: FetchedBatch): Promise<CommittedBlock> {
  return committer.commit({ kind: 'batch', to: batch.to, batch: await committer.prepare(batch, null) })
}

/** Commits consecutive blocks: a single one as near the head, several as while catching up. */
export async function commitBlocks(
  index: OpenedIndex,
  ...[first, ...others]: readonly BlockWithLogs[]
): Promise<CommittedBlock | undefined> {
  if (first === undefined) return undefined
  const blocks: LinkedBlocks = [first, ...others]
  return commitBatch(index, batchOf(blocks, others.length === 0 ? 'live' : 'catchUp', index.directory, new Set()))
}

export async function replaceWith({ committer }: Writable, replacement: Replacement): Promise<CommittedBlock> {
  return committer.commit({ kind: 'replace', to: endOf(replacement), replacement, depth: 0 })
}

export async function settle({ committer }: Writable, to: BlockHeader): Promise<CommittedBlock> {
  return committer.commit({ kind: 'settle', to })
}

/** A block with all of its logs, watched or not. */
export function wholeBlock({ header, logs }: BlockWithLogs): FetchedBatch {
  const headers = logs.length === 0 ? [] : [header]
  return { mode: 'live', from: header.number, first: header, to: header, blocks: [header], headers, logs, announced: [] }
}

export type Cursor = Pick<CommittedBlock, 'number' | 'hash'>

/** The cursor of a database; `null`: nothing is indexed. */
export async function cursorOf(db: Queryable): Promise<Cursor | null> {
  const { rows } = await sql<{ number: number | null; hash: Hex }>`
    select cursor_number as number, cursor_hash as hash from chain_state`.execute(db)
  const [row] = rows
  return row === undefined || row.number === null ? null : { number: row.number, hash: row.hash }
}

/** Whether no token's windows are overdue. After the index has gone back to the end of a run, that takes another commit. */
export async function isSettled(db: Queryable): Promise<boolean> {
  const { rows } = await sql<{ due: boolean }>`
    select exists (select from token cross join chain_state where windows_expire_at <= cursor_timestamp) as due`.execute(db)
  return rows[0]?.due === false
}

/** Whether an index is at the confirmed block, or beyond it after a fork that is shorter than the blocks that it replaced. */
export function isAsFar(cursor: Cursor | null, chain: SimulatedChain, confirmations: number): boolean {
  const head = chain.head().header.number
  if (head - confirmations < START_BLOCK) return true
  if (cursor === null || cursor.number < head - confirmations || cursor.number > head) return false
  return chain.at(cursor.number).header.hash === cursor.hash
}
