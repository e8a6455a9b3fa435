import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Config } from '#config'
import type { BlockHeader } from '#domain/block.ts'
import { TokenwireError } from '#errors'
import type { Directory } from '#launchpads/directory/directory.ts'
import type { LaunchpadsPlan } from '#launchpads/planLaunchpads.ts'
import { createAdapters } from '#launchpads/registry.ts'
import type { Transaction } from '#store/connection/transaction.ts'
import { isRecentBlock, lockCursor, readRecentBlocks } from '#store/rows/cursor.ts'
import { type ListInForce, writeListInForce } from '#store/rows/listInForce.ts'
import type { FetchedBatch } from '#sync/batch.ts'
import { fetchReplacement } from '#sync/fetch/replacement.ts'
import type { ConnectedChain } from './connectChain.ts'
import { restoreDirectoryOf } from './restoreDirectory.ts'
import { type SideIndex, stayBelow } from './sideIndex.ts'
import { createUnwatchedCommitter } from './unwatchedCommitter.ts'

export interface JoinOptions {
  readonly config: Config
  readonly chain: Omit<ConnectedChain, 'launchpads'>
  readonly db: Kysely<unknown>
  readonly transaction: Transaction
  /** The name under which this process has claimed the database. */
  readonly writer: string
  readonly plan: LaunchpadsPlan
  /** The list afterwards. */
  readonly list: Pick<ListInForce, 'launchpads' | 'pegUsd'>
  /** It is stopped. `null`: nothing joins. */
  readonly side: SideIndex | null
  /** The side index is of every launchpad and takes the place of all that is indexed, which the chain no longer has. */
  readonly takesOver: boolean
  /** Stops the index between two blocks. */
  readonly stopIndex: () => Promise<void>
  ethUsd(): string | null
  readonly now: () => number
  readonly logger: Logger
}

/** Reorgs of a few blocks are common while rows are copied. */
const NOT_AHEAD_BLOCKS = 8

/**
 * Makes the index one of another list, in one transaction: copies the rows of the side index while the index goes on, stops it, undoes the
 * blocks above the newest one of the side index, removes the rows of the launchpads that leave, and applies the same blocks again. Or lets
 * the side index take over.
 *
 * @returns the directory of the index afterwards; `null`: nothing is indexed yet
 * @throws `TokenwireError` `rpc_inconsistent`, retryable, when the index and the chain or the side index have moved apart; what fetching
 *   and `replaceBlocks` throw
 */
export async function joinLaunchpads(options: JoinOptions): Promise<Directory | null> {
  const { config, chain, db, transaction, plan, list, side, takesOver, stopIndex } = options
  const { weth } = config.launchpads
  if (side === null) {
    await stopIndex()
    if (await claimEmpty(options)) return null
    if (plan.side.length > 0) {
      throw new TokenwireError('rpc_inconsistent', 'indexing has begun with the earlier launchpads meanwhile', { retryable: true })
    }
  }
  const ancestor = side === null ? await oldestInReach(options) : (await readRecentBlocks(side.db, 1)).at(-1)
  if (ancestor === undefined || !(takesOver || (await isRecentBlock(db, ancestor)))) {
    throw new TokenwireError('rpc_inconsistent', 'the index does not have the newest block of the side index', { retryable: true })
  }
  const joined = new Set(plan.joined)
  const stays = new Set(list.launchpads.map(({ name }) => name).filter(name => !joined.has(name)))
  const adapters = createAdapters({ weth, ...list })
  // What the index learns meanwhile is above the ancestor, and found again in its blocks.
  const directory = await restoreDirectoryOf(adapters, [
    { transaction, launchpads: stays },
    ...(side === null ? [] : [{ transaction: side.transaction, launchpads: joined }]),
  ])
  const { source, genesisHash } = chain
  const fetchUpTo = async (below: number, fetched: readonly FetchedBatch[]) => {
    const cursor = (await readRecentBlocks(db, 1)).at(-1) ?? ancestor
    return fetchReplacement({ source, watchlist: directory, ancestor, to: cursor.number - below, genesisHash, fetched })
  }
  const { writer, ethUsd, now, logger } = options
  const valued = { weth, pegUsd: list.pegUsd, facts: source, ethUsd }
  const committer = createUnwatchedCommitter({ config, chain, db, transaction, writer, adapters, directory, ...valued, now, logger })
  const joining = side === null ? null : { schema: side.schema, names: plan.joined }
  const change = { ...list, leaving: plan.leaving, joining }
  if (takesOver && joining !== null) {
    await stopIndex()
    await committer.takeOver(change, joining.schema)
    return directory
  }
  await committer.change(change, async () => {
    const { batches } = await fetchUpTo(NOT_AHEAD_BLOCKS, [])
    await stopIndex()
    return fetchUpTo(0, batches)
  })
  return directory
}

/** @returns whether nothing is indexed, and the list is in force */
function claimEmpty({ transaction, writer, list, plan }: JoinOptions): Promise<boolean> {
  return transaction(async tx => {
    if ((await lockCursor(tx, writer)) !== null) return false
    await writeListInForce(tx, list, plan.joined)
    return true
  })
}

/**
 * A block to go back to when nothing joins: without blocks that are applied again, no reorg could be undone afterwards. At most as far back
 * as side indexes stay.
 */
async function oldestInReach({ config, db, transaction, writer }: JoinOptions): Promise<BlockHeader | undefined> {
  const blocks = await readRecentBlocks(db, stayBelow(config) + 1)
  const undoFrom = (await transaction(tx => lockCursor(tx, writer)))?.undoFrom ?? null
  if (undoFrom === null) return blocks.at(-1)
  return blocks.find(({ number, mergedWithNext }) => number >= undoFrom - 1 && !mergedWithNext) ?? blocks.at(-1)
}
