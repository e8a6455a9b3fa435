import type { Logger } from 'pino'
import type { ChainSource } from '#chain/chainSource.ts'
import type { Address, Hex } from '#domain/address.ts'
import type { BatchBlocks, BatchMode, BlockHeader, ChainLog } from '#domain/block.ts'
import { parseDecimal } from '#domain/decimal.ts'
import { type Decoded, type DecodeInput, decode, type Found, type Unknowns, unknownsOf, withFound } from '#index/decode.ts'
import { openDraft } from '#index/project/draft.ts'
import { project, rowKeysOf } from '#index/project/project.ts'
import { type ConfiguredValuation, ratesOf, type Valuation } from '#index/project/values.ts'
import type { LaunchpadAdapter } from '#launchpads/adapter.ts'
import type { Directory } from '#launchpads/directory/directory.ts'
import { type IndexedSource, type SourceLookup, sourceOf } from '#launchpads/logSource.ts'
import type { TokenEvent } from '#launchpads/tokenEvent.ts'
import type { NextBatch } from '#store/commit.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { readCurrenciesInTurn, readOutdatedTokens } from '#store/rows/currencies.ts'
import { loadRates, loadRows } from '#store/rows/loadRows.ts'
import type { AnnouncedContractRow } from '#tables/announcedContract.ts'

/** How batches are decoded and projected. */
export interface PrepareOptions extends Omit<ProjectOptions, 'previous'> {
  /** For reads outside of transactions. */
  readonly db: Queryable
  readonly adapters: readonly LaunchpadAdapter[]
  readonly directory: Directory
  readonly facts: ChainFacts
  /** Default: logs that can't be decoded are not counted. */
  readonly skipped?: Pick<SkippedLogCounter, 'note'>
  readonly logger: Logger
}

/**
 * Decodes a batch and computes what it changes. Changes nothing.
 *
 * @param previous the batch before it, which may not be committed yet; `null`: everything before it is committed
 */
export async function prepareBatch(batch: FetchedBatch, previous: ProjectedBatch | null, options: PrepareOptions): Promise<ProjectedBatch> {
  const decoded = decodeBatch(batch, { ...options, announced: previous?.discoveries ?? [] })
  const complete = completeBatch(decoded, await findUnknowns(decoded.events, options.facts), options.logger)
  // Not awaited: a suspended function would hold on to the batch's logs.
  return projectBatch(options.db, complete, { ...options, previous })
}

/** The batch with what was found of its events' unknowns. */
export function completeBatch(batch: DecodedBatch, found: Found, logger: Logger): DecodedBatch {
  const { events, unreadable } = withFound(batch.events, found)
  const [first] = unreadable
  if (first !== undefined) {
    const { blockNumber, txHash, logIndex, token } = first
    const details = { count: unreadable.length, first: { blockNumber, txHash, logIndex, token } }
    logger.warn(details, 'skipped launches of tokens whose creator or currency no call returns')
  }
  return { ...batch, events }
}

/** Decodes a batch's logs. Changes nothing. */
export function decodeBatch(
  batch: FetchedBatch,
  options: Omit<DecodeInput, 'logs' | 'headers' | 'announced'> &
    Partial<Pick<DecodeInput, 'announced'>> &
    Pick<PrepareOptions, 'logger' | 'skipped'>,
): DecodedBatch {
  const { logs, headers, announced: _, ...blocks } = batch
  const decoded = decode({ announced: [], ...options, logs, headers })
  const [first] = decoded.malformed
  if (first !== undefined) {
    const { blockNumber, txHash, logIndex, address } = first
    const details = { count: decoded.malformed.length, first: { blockNumber, txHash, logIndex, address } }
    options.logger.warn(details, 'skipped logs that do not fit their event')
    options.skipped?.note(decoded.malformed, key => decoded.directory.lookup(key))
  }
  return { ...blocks, ...decoded, logCount: logs.length }
}

export interface ProjectOptions {
  readonly valuation: ConfiguredValuation
  /** The first block that is indexed: a batch that begins with it follows no indexed block. */
  readonly startBlock: number
  /** USD per ETH now, stored with the trades of batches near the head; `null`: not known. */
  ethUsd(): string | null
  /** How many tokens a block near the head may value anew. */
  readonly revaluedPerBlock: number
  /** The batch before it, whose changes count as made though they may not be committed; `null`: everything before is committed. */
  readonly previous: ProjectedBatch | null
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
export async function projectBatch(db: Queryable, batch: DecodedBatch, options: ProjectOptions): Promise<ProjectedBatch> {
  const { events, directory, malformed: _, ...blocks } = batch
  const { startBlock, previous } = options
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
export async function projectTime(db: Queryable, at: BlockHeader, valuation: ConfiguredValuation) {
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

/** Consecutive blocks for one batch. */
export interface BlockSpan {
  readonly mode: BatchMode
  readonly from: number
  /** The last block at most. */
  readonly to: number
}

/** A batch as the chain showed it. */
export interface FetchedBatch extends BatchBlocks {
  /** The headers of the blocks that have logs in `logs`, ascending. */
  readonly headers: readonly BlockHeader[]
  /** The understood logs of watched addresses and of addresses that this batch announces, ascending by (block, log index). */
  readonly logs: readonly ChainLog[]
  /** Addresses and pool ids that the logs announce. */
  readonly announced: readonly Hex[]
}

/** A batch with the meaning of its logs. The logs themselves are no longer held. */
interface DecodedBatch extends BatchBlocks, Decoded {
  readonly logCount: number
}

/** A batch with the rows that its commit writes. */
export interface ProjectedBatch extends NextBatch {
  readonly logCount: number
  /** Added to the directory after the commit. */
  readonly discoveries: readonly IndexedSource[]
}

export type ChainFacts = Pick<ChainSource, 'senders' | 'answers'>

const NOTHING: Found = { senders: new Map(), answers: new Map() }

/** Asks the chain for what these events need and no log contains: senders of transactions, and answers of calls. */
export async function findUnknowns(events: readonly TokenEvent[], facts: ChainFacts): Promise<Found> {
  const { transactions, calls }: Unknowns = unknownsOf(events)
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
