import { sql } from 'kysely'
import type { LaunchpadsConfig } from '#config'
import type { Address } from '#domain/address.ts'
import { decode, type Found } from '#index/decode.ts'
import { valuationOf } from '#index/project/values.ts'
import type { DirectoryBranch } from '#launchpads/directory/directory.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import { changeLaunchpads, copyAhead, type LaunchpadsChange } from '#store/changeLaunchpads.ts'
import { type CommitOptions, commitBatch, settle } from '#store/commit.ts'
import { LastStatements, type Transaction, type TransactionDb } from '#store/connection/transaction.ts'
import { KnownTrades } from '#store/reads/snapshots.ts'
import { replaceBlocks, takeOverSide } from '#store/replaceBlocks.ts'
import { lockCursor, readRecentBlocks } from '#store/rows/cursor.ts'
import type { BlockRow } from '#tables/block.ts'
import { endOf, type Replacement } from './fetch/replacement.ts'
import {
  completeBatch,
  decodeBatch,
  type FetchedBatch,
  findUnknowns,
  type PrepareOptions,
  type ProjectedBatch,
  prepareBatch,
  projectBatch,
  projectTime,
} from './prepareBatch.ts'
import { type Commit, MAX_CATCH_UP_BLOCKS } from './state.ts'

/** Where batches go. */
export interface Committer {
  /**
   * The newest indexed blocks, ascending and linked by parent hash, the cursor last; empty when nothing is indexed. Waits for a commit that
   * lost its connection and is still under way at the server. A database that has lost commits, as after a failover to a standby that was
   * behind, is gone on with from the cursor that it has.
   */
  recentBlocks(): Promise<readonly BlockRow[]>
  /** As `prepareBatch`. */
  prepare(batch: FetchedBatch, previous: ProjectedBatch | null): Promise<ProjectedBatch>
  /** @throws as `commitBatch`, `replaceBlocks` and `settle` of the store */
  commit(commit: Commit): Promise<CommittedBlock>
}

/** A committer that can also change which launchpads the index is of. */
export interface ChangingCommitter extends Committer {
  /**
   * Makes the index one of other launchpads, in one transaction: copies what can be copied ahead, undoes the blocks above the replacement's
   * ancestor, changes the rows, and applies the same blocks again. This committer has the adapters and the directory of the list
   * afterwards.
   *
   * @param stopIndex called in the transaction, before which the index may go on. @returns its blocks above the ancestor
   * @throws as `replaceBlocks` of the store; what `stopIndex` throws
   */
  change(change: LaunchpadsChange, stopIndex: () => Promise<Replacement>): Promise<CommittedBlock>
  /** Replaces all that is indexed by the side index in that schema, as `takeOverSide`. */
  takeOver(change: LaunchpadsChange, schema: string): Promise<CommittedBlock>
}

export interface CommitterOptions extends CommitOptions, Omit<PrepareOptions, 'valuation' | 'startBlock'> {
  readonly weth: Address
  readonly pegUsd?: LaunchpadsConfig['pegUsd']
}

/** Blocks that are read for finding a fork, at least. */
export const RECENT_BLOCKS = 512

export function createCommitter(given: CommitterOptions): ChangingCommitter {
  const known = new KnownTrades()
  const options = { ...given, known }
  const { adapters, directory, transaction, writer, maxReorgDepth } = options
  const { startBlock } = directory
  const valuation = valuationOf(options, adapters)
  const preparing = { ...options, valuation, startBlock }
  // Blocks that were committed together are undone together, so the deepest reorg may go back by that many blocks more.
  const recentBlocks = Math.max(RECENT_BLOCKS, maxReorgDepth + MAX_CATCH_UP_BLOCKS)

  /** The newest block whose sources the directory has. */
  let knownUpTo = Number.NEGATIVE_INFINITY

  const forgetLost = (cursor: number): void => {
    if (cursor < knownUpTo) directory.become(directory.upTo(cursor))
    knownUpTo = cursor
  }

  const commitOne = async ({ batch }: Extract<Commit, { kind: 'batch' }>): Promise<CommittedBlock> => {
    const committed = await commitBatch(batch, options)
    directory.add(batch.discoveries, batch.to.number)
    knownUpTo = batch.to.number
    return committed
  }

  const replace = async (replacement: Replacement, change?: LaunchpadsChange, within: CommitOptions = given): Promise<CommittedBlock> => {
    known.forget()
    const { ancestor, batches } = replacement
    const kept = ancestor?.number ?? startBlock - 1
    // Batch by batch, as when following: each is decoded with the sources that were known before it.
    const branch = directory.upTo(kept)
    const found = await findIn(batches, directory.upTo(kept))
    const committed = await replaceBlocks(
      {
        ancestor,
        kept,
        to: endOf(replacement),
        batches,
        project: async (tx, batch) => {
          const decoded = decodeBatch(batch, { ...options, directory: branch })
          branch.add(decoded.discoveries, batch.to.number)
          return projectBatch(tx, completeBatch(decoded, found, options.logger), { ...preparing, previous: null })
        },
        ...(change && { change: (db, at) => changeLaunchpads(db, change, at) }),
      },
      within,
    )
    // A repeated commit does not project, so the sources that its logs announce are added here.
    for (const batch of batches) branch.add(branch.discoveries(batch.logs), batch.to.number)
    directory.become(branch)
    knownUpTo = endOf(replacement).number
    return committed
  }

  /** Senders and answers of calls for the batches' events. Fetched before the transaction, which must not wait for a provider. */
  const findIn = async (batches: readonly FetchedBatch[], branch: DirectoryBranch): Promise<Found> => {
    const events = batches.flatMap(batch => {
      const decoded = decode({ ...options, ...batch, directory: branch, announced: [] })
      branch.add(decoded.discoveries, batch.to.number)
      return decoded.events
    })
    return findUnknowns(events, options.facts)
  }

  const commitAny = (commit: Commit): Promise<CommittedBlock> => {
    switch (commit.kind) {
      case 'batch':
        return commitOne(commit)
      case 'replace':
        return replace(commit.replacement)
      case 'settle':
        return settle({ at: commit.to, project: tx => projectTime(tx, commit.to, valuation) }, options)
    }
  }

  return {
    recentBlocks: () => {
      known.forget()
      return transaction(async tx => {
        const cursor = await lockCursor(tx, writer)
        forgetLost(cursor?.number ?? startBlock - 1)
        return readRecentBlocks(tx, recentBlocks)
      })
    },
    change: (change, stopIndex) =>
      transaction(async tx => {
        // Nothing is sent while the index ends what it does, and its newest blocks are fetched.
        await sql`set local idle_in_transaction_session_timeout = '5min'`.execute(tx)
        await copyAhead(tx, change)
        return replace(await stopIndex(), change, { ...given, transaction: partOf(tx) })
      }),
    takeOver: (change, schema) => takeOverSide(change, schema, given),
    prepare: (batch, previous) => prepareBatch(batch, previous, preparing),
    commit: async commit => {
      try {
        return await commitAny(commit)
      } catch (error) {
        // It may have read trades that were never committed.
        known.forget()
        throw error
      }
    },
  }
}

/** Transactions that are parts of a transaction. */
function partOf(db: TransactionDb): Transaction {
  return async work => {
    const done = await work(db)
    return done instanceof LastStatements ? done.result : done
  }
}
