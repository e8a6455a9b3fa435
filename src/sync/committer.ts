import type { Logger } from 'pino'
import type { ChainSource } from '#chain/chainSource.ts'
import type { LaunchpadsConfig } from '#config'
import type { Address } from '#domain/address.ts'
import type { BatchBlocks, BlockHeader, ChainLog } from '#domain/block.ts'
import { parseDecimal } from '#domain/decimal.ts'
import { openDraft } from '#index/project/draft.ts'
import { project, rowKeysOf } from '#index/project/project.ts'
import { type ConfiguredValuation, ratesOf, type Valuation, valuationOf } from '#index/project/values.ts'
import type { LaunchpadAdapter } from '#launchpads/adapter.ts'
import { type Decoded, decode, type Found, unknownsOf, withFound } from '#launchpads/decodeLogs.ts'
import type { Directory, DirectoryBranch } from '#launchpads/directory/directory.ts'
import { type IndexedSource, type SourceLookup, sourceOf } from '#launchpads/logSource.ts'
import type { TokenEvent } from '#launchpads/tokenEvent.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import { changeLaunchpads, type LaunchpadsChange } from '#store/changeLaunchpads.ts'
import { type CommitOptions, commitBatch, settle } from '#store/commit.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { LastStatements, type Transaction, type TransactionDb } from '#store/connection/transaction.ts'
import { KnownTrades } from '#store/reads/snapshots.ts'
import { replaceBlocks } from '#store/replaceBlocks.ts'
import { readCurrenciesInTurn, readOutdatedTokens } from '#store/rows/currencies.ts'
import { lockAsWriter, readRecentBlocks } from '#store/rows/cursor.ts'
import { loadRates, loadRows } from '#store/rows/loadRows.ts'
import type { AnnouncedContractRow } from '#tables/announcedContract.ts'
import type { BlockRow } from '#tables/block.ts'
import { type Commit, endOf, type FetchedBatch, MAX_CATCH_UP_BLOCKS, type ProjectedBatch, type Replacement } from './state.ts'

/** Where batches go. */
export interface Committer {
  /**
   * The newest indexed blocks, ascending and linked by parent hash, the cursor last; empty when nothing is indexed. Waits for a commit that
   * lost its connection and is still under way at the server. A database that has lost commits, as after a failover to a standby that was
   * behind, is gone on with from the cursor that it has.
   */
  recentBlocks(): Promise<readonly BlockRow[]>
  /**
   * Decodes a batch and computes what it changes. Changes nothing.
   *
   * @param previous the batch before it, which may not be committed yet; `null`: everything before it is committed
   */
  prepare(batch: FetchedBatch, previous: ProjectedBatch | null): Promise<ProjectedBatch>
  /** @throws as `commitBatch`, `replaceBlocks` and `settle` of the store */
  commit(commit: Commit): Promise<CommittedBlock>
}

/** A committer that can also change which launchpads the index is of. */
export interface ChangingCommitter extends Committer {
  /**
   * Makes the index one of other launchpads, as a part of the caller's transaction, which has called `copyAhead`: undoes the blocks above
   * the replacement's ancestor, changes the rows, and applies the same blocks again. This committer has the adapters and the directory of
   * the list afterwards.
   *
   * @throws as `replaceBlocks` of the store
   */
  change(tx: TransactionDb, change: LaunchpadsChange, replacement: Replacement): Promise<CommittedBlock>
}

export interface CommitterOptions extends CommitOptions {
  /** For reads outside of transactions. */
  readonly db: Queryable
  readonly adapters: readonly LaunchpadAdapter[]
  readonly directory: Directory
  readonly facts: ChainFacts
  readonly weth: Address
  readonly pegUsd?: LaunchpadsConfig['pegUsd']
  /** USD per ETH now, stored with the trades of batches near the head; `null`: not known. */
  ethUsd(): string | null
  /** How many tokens a block near the head may value anew. */
  readonly revaluedPerBlock: number
  /** Default: logs that can't be decoded are not counted. */
  readonly skipped?: Pick<SkippedLogCounter, 'note'>
  readonly logger: Logger
}

/** Blocks that are read for finding a fork, at least. */
export const RECENT_BLOCKS = 512

export function createCommitter(given: CommitterOptions): ChangingCommitter {
  const known = new KnownTrades()
  const options = { ...given, known }
  const { adapters, directory, transaction, writer, maxReorgDepth } = options
  const { startBlock } = directory
  const valuation = valuationOf(options, adapters)
  const preparing: Preparing = { ...options, valuation, startBlock }
  // Blocks that were committed together are undone together, so the deepest reorg may go back by that many blocks more.
  const recentBlocks = Math.max(RECENT_BLOCKS, maxReorgDepth + MAX_CATCH_UP_BLOCKS)

  /** The newest block whose sources the directory has. */
  let knownUpTo = Number.NEGATIVE_INFINITY

  const forgetLost = (cursor: number): void => {
    if (cursor < knownUpTo) directory.become(directory.upTo(cursor))
    knownUpTo = cursor
  }

  /** Decodes the batches before the transaction, which must not wait for a provider. */
  const replace = async (replacement: Replacement, within: CommitOptions, change?: LaunchpadsChange): Promise<CommittedBlock> => {
    known.forget()
    const { ancestor, batches } = replacement
    const to = endOf(replacement)
    const kept = ancestor?.number ?? startBlock - 1
    const branch = directory.upTo(kept)
    const announced: IndexedSource[] = []
    // As when following: each batch is decoded with the sources that were known before it.
    const decoded = batches.map(batch => {
      const one = decodeBatch(batch, announced, branch, options)
      announced.push(...one.discoveries)
      return one
    })
    const found = await findUnknowns(
      decoded.flatMap(({ events }) => events),
      options.facts,
    )
    const committed = await replaceBlocks(
      {
        ancestor,
        kept,
        to,
        batches: decoded,
        project: (tx, batch) => projectBatch(tx, completeBatch(batch, found, options.logger), null, preparing),
        ...(change && { change: (db, at) => changeLaunchpads(db, change, at) }),
      },
      within,
    )
    for (const batch of decoded) branch.add(batch.discoveries, batch.to.number)
    directory.become(branch)
    knownUpTo = to.number
    return committed
  }

  const write = async (commit: Commit): Promise<CommittedBlock> => {
    switch (commit.kind) {
      case 'batch': {
        const { batch } = commit
        const committed = await commitBatch(batch, options)
        directory.add(batch.discoveries, batch.to.number)
        knownUpTo = batch.to.number
        return committed
      }
      case 'replace':
        return replace(commit.replacement, given)
      case 'settle':
        return settle({ at: commit.to, project: tx => projectTime(tx, commit.to, valuation) }, options)
    }
  }

  return {
    recentBlocks: () => {
      known.forget()
      return transaction(async tx => {
        const cursor = await lockAsWriter(tx, writer)
        forgetLost(cursor?.number ?? startBlock - 1)
        return readRecentBlocks(tx, recentBlocks)
      })
    },
    change: (tx, change, replacement) => replace(replacement, { ...given, transaction: partOf(tx) }, change),
    prepare: async (batch, previous) => {
      const decoded = decodeBatch(batch, previous?.discoveries ?? [], directory, options)
      const complete = completeBatch(decoded, await findUnknowns(decoded.events, options.facts), options.logger)
      // Not awaited: a suspended function would hold on to the batch's logs.
      return projectBatch(options.db, complete, previous, preparing)
    },
    commit: async commit => {
      try {
        return await write(commit)
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

interface Preparing extends CommitterOptions {
  readonly valuation: ConfiguredValuation
  /** The first block that is indexed: a batch that begins with it follows no indexed block. */
  readonly startBlock: number
}

/** The batch with what was found of its events' unknowns. */
function completeBatch(batch: DecodedBatch, found: Found, logger: Logger): DecodedBatch {
  const { events, unreadable } = withFound(batch.events, found)
  const [first] = unreadable
  if (first !== undefined) {
    const { blockNumber, txHash, logIndex, token } = first
    const details = { count: unreadable.length, first: { blockNumber, txHash, logIndex, token } }
    logger.warn(details, 'skipped launches of tokens whose creator or currency no call returns')
  }
  return { ...batch, events }
}

/** @param announced the sources that earlier batches announce and the directory does not have */
function decodeBatch(
  batch: FetchedBatch,
  announced: readonly IndexedSource[],
  directory: Directory | DirectoryBranch,
  options: CommitterOptions,
): DecodedBatch {
  const { logs, headers, announced: _, ...blocks } = batch
  const decoded = decode({ logs, headers, announced, directory, adapters: options.adapters })
  const [first] = decoded.malformed
  if (first !== undefined) {
    const { blockNumber, txHash, logIndex, address } = first
    const details = { count: decoded.malformed.length, first: { blockNumber, txHash, logIndex, address } }
    options.logger.warn(details, 'skipped logs that do not fit their event')
    options.skipped?.note(decoded.malformed, key => decoded.directory.lookup(key))
  }
  return { ...blocks, ...decoded, logCount: logs.length }
}

/** The tokens that a block values anew, besides those of its events. */
interface Revaluation {
  readonly tokens: readonly Address[]
  /** The last currency of this block's turn; the next block's turn begins with the one after it. `null`: it begins with the first one. */
  readonly reached: Address | null
}

const NO_REVALUATION: Revaluation = { tokens: [], reached: null }

/** How many currencies a block looks at. Each has up to three pools to read. */
const MAX_CURRENCIES = 20

/** Computes what a batch changes, from the current rows. Changes nothing. */
async function projectBatch(
  db: Queryable,
  batch: DecodedBatch,
  previous: ProjectedBatch | null,
  options: Preparing,
): Promise<ProjectedBatch> {
  const { events, directory, malformed: _, ...blocks } = batch
  const { startBlock } = options
  const { mode, first, to } = batch
  const provided = mode === 'range' ? null : options.ethUsd()
  const valuation = { ...options.valuation, providedEthUsd: provided === null ? null : parseDecimal(provided) }
  const revaluation = mode === 'live' ? await nextRevaluation(db, valuation, options.revaluedPerBlock) : NO_REVALUATION
  const keys = rowKeysOf(events, revaluation.tokens, valuation.dollars)
  // The times of blocks may fall.
  const now = events.reduce((latest, { timestamp }) => Math.max(latest, timestamp), to.timestamp)
  const rows = await loadRows(db, keys, { now, expired: mode === 'live', pending: previous, weth: valuation.weth })
  const changes = project({ ...valuation, events, rows, now, outdated: revaluation.tokens, directory })
  const follows = batch.from === startBlock ? null : (previous?.to ?? { hash: first.parentHash }).hash
  const contracts = batch.discoveries.flatMap(announcedContract)
  return { ...blocks, follows, before: rows, changes, contracts, revaluedTo: revaluation.reached }
}

/**
 * Takes the next quote currencies in turn, and finds their tokens that were valued by an outdated rate of the currency. Rates are as of
 * before the block. A currency that uses up the number of tokens a block may value is not looked at again before all others were.
 *
 * @param maxTokens 0: nothing is valued anew
 */
async function nextRevaluation(db: Queryable, valuation: Valuation, maxTokens: number): Promise<Revaluation> {
  if (maxTokens === 0) return NO_REVALUATION
  const currencies = await readCurrenciesInTurn(db, MAX_CURRENCIES)
  if (currencies.length === 0) return NO_REVALUATION
  const draft = openDraft(await loadRates(db, currencies, valuation.weth))
  const rates = currencies.map(currency => {
    const { weth, usd } = ratesOf(draft, currency, valuation)
    return { currency, rate: weth ?? usd }
  })
  const outdated = await readOutdatedTokens(db, rates, maxTokens)
  const reached = (outdated.length < maxTokens ? currencies.at(-1) : outdated.at(-1)?.currency) ?? null
  return { tokens: outdated.map(({ token }) => token), reached }
}

/** Computes what time alone changes up to a block: trades leave windows. The batch adds no block, so there are no headers to keep. */
async function projectTime(db: Queryable, at: BlockHeader, valuation: ConfiguredValuation) {
  const rows = await loadRows(db, rowKeysOf([], [], []), { now: at.timestamp, expired: true, pending: null, weth: valuation.weth })
  const nothing = { events: [], providedEthUsd: null, directory: { lookup: () => undefined } }
  const changes = project({ ...valuation, ...nothing, rows, now: at.timestamp })
  const blocks = { mode: 'live', from: at.number, first: at, to: at, blocks: [] } as const
  return { ...blocks, before: rows, changes, contracts: [], revaluedTo: null }
}

/** The row of a contract that a launch names. Tokens, pools and positions have rows of their own. */
function announcedContract({ key, source, block }: IndexedSource): readonly AnnouncedContractRow[] {
  const { role, launchpad } = source
  return role === 'contract' || role === 'module' ? [{ address: key as Address, launchpad, role, createdBlock: block }] : []
}

/** A batch with the meaning of its logs. The logs themselves are no longer held. */
interface DecodedBatch extends BatchBlocks, Decoded {
  readonly logCount: number
}

export type ChainFacts = Pick<ChainSource, 'senders' | 'answers'>

const NOTHING: Found = { senders: new Map(), answers: new Map() }

/** Asks the chain for what these events need and no log contains: senders of transactions, and answers of calls. */
export async function findUnknowns(events: readonly TokenEvent[], facts: ChainFacts): Promise<Found> {
  const { transactions, calls } = unknownsOf(events)
  if (transactions.length === 0 && calls.length === 0) return NOTHING
  const [senders, answers] = await Promise.all([
    transactions.length === 0 ? NOTHING.senders : facts.senders(transactions),
    calls.length === 0 ? NOTHING.answers : facts.answers(calls),
  ])
  return { senders, answers }
}

/** How often logs of an event of a launchpad could not be decoded, since the start. */
export interface SkippedLogs {
  readonly launchpad: string
  /** The event's first topic. */
  readonly event: string
  readonly count: number
}

export interface SkippedLogCounter {
  note(logs: readonly ChainLog[], lookup: SourceLookup): void
  counts(): readonly SkippedLogs[]
}

/** Events that are decoded are few; this bounds the labels of the metric whatever a configuration maps. */
const MAX_COUNTED = 200
const OTHERS = { launchpad: 'others', event: 'others' }

export function createSkippedLogCounter(): SkippedLogCounter {
  const counts = new Map<string, SkippedLogs>()
  const count = ({ launchpad, event }: Omit<SkippedLogs, 'count'>) => {
    const key = `${launchpad} ${event}`
    const before = counts.get(key)
    if (before === undefined && counts.size >= MAX_COUNTED && launchpad !== OTHERS.launchpad) return count(OTHERS)
    counts.set(key, { launchpad, event, count: (before?.count ?? 0) + 1 })
  }
  return {
    note(logs, lookup) {
      for (const log of logs) count({ launchpad: sourceOf(log, { lookup })?.launchpad ?? 'unknown', event: log.topics[0] ?? 'none' })
    },
    counts: () => [...counts.values()],
  }
}
