import type { BlockWithLogs } from '#chain/block.ts'
import type { ChainSource } from '#chain/chainSource.ts'
import type { ChainTip } from '#chain/chainTips.ts'
import type { LogRange, LogRangeQuery } from '#chain/logs/logRanges.ts'
import { assertOwnPlaces } from '#chain/logs/parseLogs.ts'
import type { Address, Hex } from '#domain/address.ts'
import type { BatchMode, BlockHeader, ChainLog } from '#domain/block.ts'
import { comparePlaces } from '#domain/eventPlace.ts'
import { inconsistent, missing, type RpcError } from '#rpc/rpcFault.ts'
import type { Committer } from './committer.ts'
import { type BlockSpan, type FetchedBatch, type ProjectedBatch, type SyncBounds, spanAt } from './state.ts'

export interface PrefetchOptions extends Omit<SpanSource, 'maxRangeLogs'> {
  readonly prepare: Committer['prepare']
  readonly bounds: SyncBounds
  readonly ranges: RangeBounds
}

/**
 * Fetches and prepares batches ahead. While one batch is committed, the next is decoded and projected, and the one after that is fetched:
 * the provider, this process and the database work at the same time.
 */
export interface Prefetch {
  /**
   * The batch of a span's blocks, or of the first of them, ready to be committed. Everything before the span has to be committed. Starts
   * the batches after it.
   *
   * @throws what fetching and preparing it threw
   */
  next(span: BlockSpan, tip: ChainTip): Promise<ProjectedBatch>
  /** How many blocks to fetch in the next range, learned from what the last ones held. */
  rangeBlocks(): number
  /** Drops the batches that were started: they may belong to a replaced chain, or depend on a commit that failed. */
  discard(): void
}

/** A span that is fetched or prepared before its turn. */
interface Begun<T> {
  readonly span: BlockSpan
  readonly result: Promise<T>
}

interface Prepared {
  readonly batch: ProjectedBatch
  readonly announced: readonly Hex[]
  /** The span after it, which is being fetched; `null`: it has to wait. */
  readonly following: Begun<FetchedBatch> | null
}

/**
 * Blocks this close to the confirmed head are not fetched ahead: if a fork replaced them after that, they would still follow the cursor.
 */
const NOT_AHEAD_BLOCKS = 8

export function createPrefetch({ source, watchlist, prepare, bounds, ranges }: PrefetchOptions): Prefetch {
  /** This many confirmed blocks have to follow a span that is fetched ahead. */
  const confirmedAfter: Readonly<Record<BlockSpan['mode'], number>> = {
    range: bounds.followBlocks,
    catchUp: Math.max(bounds.liveBlocks + 1, NOT_AHEAD_BLOCKS),
    live: Number.POSITIVE_INFINITY,
  }
  const spanSource = { source, watchlist, maxRangeLogs: maxRangeLogs(ranges) }
  let rangeBlocks = firstRangeBlocks(ranges)
  let ahead: Begun<Prepared> | null = null
  /** Aborted by `discard`: what is being fetched then is not prepared, and nothing after it is begun. */
  let run = new AbortController()

  async function fetch(span: BlockSpan, tip: ChainTip, announced: readonly Hex[]): Promise<FetchedBatch> {
    const batch = await fetchSpan(spanSource, span, tip, announced)
    if (batch.mode === 'range') rangeBlocks = nextRangeBlocks(batch.to.number - batch.from + 1, batch.logs.length, ranges)
    return batch
  }

  function beginFetchingAfter(batch: FetchedBatch, tip: ChainTip, announced: readonly Hex[]): Begun<FetchedBatch> | null {
    const from = batch.to.number + 1
    const confirmed = tip.confirmed.number
    if (batch.mode === 'live' || from > confirmed) return null
    const span = spanAt(from, confirmed, bounds, rangeBlocks)
    const to = Math.min(span.to, confirmed - confirmedAfter[span.mode])
    return to < from ? null : begun({ ...span, to }, fetch({ ...span, to }, tip, announced))
  }

  /** Once the span is fetched, it is prepared while the span after it is fetched. */
  async function prepareFetched(fetching: Promise<FetchedBatch>, previous: Prepared | null, tip: ChainTip): Promise<Prepared> {
    const { signal } = run
    const fetched = await fetching
    signal.throwIfAborted()
    const { announced } = fetched
    const following = beginFetchingAfter(fetched, tip, [...(previous?.announced ?? []), ...announced])
    return { batch: await prepare(fetched, previous?.batch ?? null), announced, following }
  }

  /** The batch that was started at this block, unless the tip is too close to it now. */
  function takeAhead(from: number, { confirmed }: ChainTip): Promise<Prepared> | null {
    const taken = ahead
    if (taken?.span.from === from && taken.span.to <= confirmed.number - confirmedAfter[taken.span.mode]) {
      ahead = null
      return taken.result
    }
    discard()
    return null
  }

  function discard(): void {
    ahead = null
    run.abort()
    run = new AbortController()
  }

  return {
    next: async (span, tip) => {
      const taken = await (takeAhead(span.from, tip) ?? prepareFetched(fetch(span, tip, []), null, tip))
      const { batch, following } = taken
      if (following !== null) ahead = begun(following.span, prepareFetched(following.result, taken, tip))
      return batch
    },
    rangeBlocks: () => rangeBlocks,
    discard,
  }
}

/** `next` throws the failure. The handler keeps a discarded result's failure from being an unhandled rejection. */
function begun<T>(span: BlockSpan, result: Promise<T>): Begun<T> {
  result.catch(() => undefined)
  return { span, result }
}

/** Bounds of the number of blocks in one range. */
export interface RangeBounds {
  readonly minBlocks: number
  readonly maxBlocks: number
  /** Logs per range to aim for. A range with twice as many is cut. */
  readonly targetLogs: number
}

/** The first range is small: it is not known yet how much the blocks hold, and nothing is written while it is fetched. */
const FIRST_RANGE_BLOCKS = 100
const MAX_RANGE_GROWTH = 4
const CUT_AT_TARGETS = 2

/** The size of the first range, before any density of logs is known. */
function firstRangeBlocks({ maxBlocks }: RangeBounds): number {
  return Math.min(FIRST_RANGE_BLOCKS, maxBlocks)
}

/** As many blocks as would hold the target at the density of the last range, and at most four times as many as it had. */
export function nextRangeBlocks(blocks: number, logs: number, { minBlocks, maxBlocks, targetLogs }: RangeBounds): number {
  const fitting = logs === 0 ? blocks * MAX_RANGE_GROWTH : Math.floor((blocks * targetLogs) / logs)
  return Math.max(minBlocks, Math.min(maxBlocks, fitting, blocks * MAX_RANGE_GROWTH))
}

/** A range with more logs is cut. */
function maxRangeLogs({ targetLogs }: RangeBounds): number {
  return targetLogs * CUT_AT_TARGETS
}

export interface SpanSource {
  readonly source: RangeSource & Pick<ChainSource, 'blockWithLogs'>
  readonly watchlist: Watchlist
  /** A range ends early past this many logs. */
  readonly maxRangeLogs: number
}

/**
 * Fetches a span's blocks, or only the first of them.
 *
 * @param announced addresses and pool ids that earlier, uncommitted batches announce: the watchlist does not have them
 * @throws `RpcError`
 */
export async function fetchSpan(
  { source, watchlist, maxRangeLogs }: SpanSource,
  span: BlockSpan,
  tip: ChainTip,
  announced: readonly Hex[],
): Promise<FetchedBatch> {
  const { mode, from, to } = span
  if (mode === 'range') return fetchRange(source, watchlist, { from, to, announced, maxLogs: maxRangeLogs })
  const blocks = await (mode === 'catchUp' ? fetchBlocks(source, from, to) : fetchBlock(source, from, tip))
  return batchOf(blocks, mode, watchlist, new Set(announced))
}

async function fetchBlock(source: SpanSource['source'], number: number, { block, confirmed }: ChainTip): Promise<LinkedBlocks> {
  if (block !== null && block.header.number === number) return [block]
  return [await source.blockWithLogs(number, confirmed.number === number ? confirmed : undefined)]
}

/** Consecutive blocks, each with all of its logs. */
export type LinkedBlocks = readonly [BlockWithLogs, ...BlockWithLogs[]]

const BLOCKS_AT_ONCE = 12
/** Blocks with more logs than this in all are committed in several batches. Bounds the length of a transaction. */
const MAX_LOGS = 5_000

/**
 * Fetches blocks that are committed together. The list ends early where a block fails, does not follow the one before it, or where there
 * are many logs: the rest is fetched again with the next batch.
 *
 * @throws `RpcError` when the first block can't be fetched
 */
export async function fetchBlocks(source: Pick<ChainSource, 'blockWithLogs'>, from: number, to: number): Promise<LinkedBlocks> {
  let failed = false
  const begin = (number: number): Promise<BlockWithLogs | null> =>
    // A block may fail before it is awaited.
    source.blockWithLogs(number).catch(() => {
      failed = true
      return null
    })
  const first = source.blockWithLogs(from)
  const others = Array.from({ length: Math.min(to - from, BLOCKS_AT_ONCE - 1) }, (_, index) => begin(from + 1 + index))
  const blocks: [BlockWithLogs, ...BlockWithLogs[]] = [await first]
  for (let logs = blocks[0].logs.length; logs < MAX_LOGS; ) {
    const next = from + 1 + others.length
    if (next <= to && !failed) others.push(begin(next))
    const block = await others[blocks.length - 1]
    if (block === null || block === undefined || block.header.parentHash !== blocks.at(-1)?.header.hash) break
    blocks.push(block)
    logs += block.logs.length
  }
  return blocks
}

/**
 * The batch of some consecutive blocks: their understood logs of watched addresses, and of addresses that the blocks announce, wherever in
 * the block they are announced.
 *
 * @param announced addresses and pool ids that earlier, uncommitted batches announce. This batch's announcements are added to the set.
 */
export function batchOf(blocks: LinkedBlocks, mode: BatchMode, watchlist: PastWatchlist, announced: Set<Hex>): FetchedBatch {
  const before = new Set(announced)
  const kept = blocks.map(({ header, logs }) => ({ header, logs: watchedLogs(logs, watchlist, announced) }))
  const [{ header: first }] = blocks
  return {
    mode,
    from: first.number,
    first,
    to: blocks.at(-1)?.header ?? first,
    blocks: blocks.map(({ header }) => header),
    headers: kept.flatMap(({ header, logs }) => (logs.length === 0 ? [] : [header])),
    logs: kept.flatMap(({ logs }) => logs),
    announced: [...announced].filter(key => !before.has(key)),
  }
}

function watchedLogs(logs: readonly ChainLog[], watchlist: PastWatchlist, announced: Set<Hex>): readonly ChainLog[] {
  const understood = logs.filter(({ topics: [topic] }) => watchlist.isUnderstood(topic))
  const isWatched = ({ address }: ChainLog) => watchlist.has(address) || announced.has(address)
  let kept = understood.filter(isWatched)
  // An announced contract may announce something itself, as a curve announces its pool.
  for (let step = 0; step < ANNOUNCING_STEPS; step++) {
    const known = announced.size
    for (const key of watchlist.discover(kept)) announced.add(key)
    if (announced.size === known) break
    kept = understood.filter(isWatched)
  }
  assertOwnPlaces(kept)
  return kept
}

export interface RangeRequest {
  readonly from: number
  readonly to: number
  /** Addresses and pool ids that earlier, uncommitted ranges announced: the watchlist does not know them. */
  readonly announced: readonly Hex[]
  /** Past this many logs the range ends early. */
  readonly maxLogs: number
}

/** What ranges are fetched from: the chain, or kept logs and the chain. */
export interface RangeSource {
  headers(numbers: readonly number[]): Promise<readonly BlockHeader[]>
  /** @param since the first block whose logs matter, for addresses and pool ids that are announced in the range */
  logsInRange(query: LogRangeQuery, since: ReadonlyMap<Hex, number>): Promise<LogRange & { readonly isKept?: true }>
  /** Where to end a range that may go up to `to`. Default: there. */
  endOfRange?(from: number, to: number, maxLogs: number): Promise<number>
  /** Gets each range once all of it is there. Returns when the next one may be fetched. */
  fetched?(range: FetchedRange): Promise<void>
}

export interface FetchedRange {
  readonly first: BlockHeader
  readonly last: BlockHeader
  /** The headers of the blocks that have logs, ascending. */
  readonly headers: readonly BlockHeader[]
  readonly logs: readonly ChainLog[]
  /** What was watched before the range. */
  readonly watched: WatchedParts
  /** The addresses and pool ids that the range announces, each with the announcing block. Some blocks may be after the last one. */
  readonly announced: ReadonlyMap<Hex, number>
  /** Whether no provider was asked for logs. */
  readonly isKept: boolean
}

const NOTHING_ANNOUNCED: ReadonlyMap<Hex, number> = new Map()

/**
 * Fetches a range in passes. The first takes the logs of everything that is known to be watched, which announce new addresses. The second
 * takes the new addresses' logs, from the block on that announces them: a creation event comes last in its transaction, after the first
 * transfers and the pool's first price. Not from before that block: following block by block would not have seen those either, and what is
 * indexed must not depend on how it was fetched. A third follows where these logs announce something in turn, as a curve announces its
 * pool.
 *
 * All answers are tied to one chain: every query of logs comes with the hash of the range's end, every log's block hash is the one of its
 * block's header, and the end is still the same when everything is there.
 *
 * @throws `RpcError`, `inconsistent` when the chain changed meanwhile
 */
export async function fetchRange(
  source: RangeSource,
  watchlist: Watchlist,
  { from, to: most, announced, maxLogs }: RangeRequest,
): Promise<FetchedBatch> {
  const to = (await source.endOfRange?.(from, most, maxLogs)) ?? most
  const [first, end] = await source.headers([from, to])
  if (first === undefined || end === undefined) throw missing(`block ${from} or ${to}`)
  const known = new Set(announced)
  const watched = watchlist.partsWith(announced)
  const one = await source.logsInRange({ from, to, end, ...watched, maxLogs }, NOTHING_ANNOUNCED)
  let isKept = one.isKept === true

  const found = new Map<Hex, number>()
  let { logs, to: last } = one
  for (let step = 0; step < ANNOUNCING_STEPS; step++) {
    const fresh = announcements(logs, watchlist, known, found)
    if (fresh.size === 0) break
    for (const [key, block] of fresh) found.set(key, block)
    const parts = watchlist.partsOf([...fresh.keys()])
    const more = await source.logsInRange({ from: leastOf(fresh.values()), to: last, end, ...parts, maxLogs }, fresh)
    isKept &&= more.isKept === true
    // This query may have ended even earlier. What is announced after its end belongs to the next range.
    last = more.to
    logs = merge(
      // If an address is found again in an earlier block, `more` has all of its logs. A pool id is found only once, in the log of a
      // contract.
      logs.filter(({ address, blockNumber }) => blockNumber <= last && !fresh.has(address)),
      more.logs.filter(log => log.blockNumber >= (announcedAt(log, fresh) ?? Number.POSITIVE_INFINITY)),
    )
  }
  const [headers, lastHeader] = await Promise.all([fetchHeaders(source, logs), fetchLast(source, last, first, end)])
  await source.fetched?.({ first, last: lastHeader, headers, logs, watched, announced: found, isKept })
  const added = [...found].flatMap(([key, block]) => (block <= last ? [key] : []))
  return { mode: 'range', from, first, to: lastHeader, blocks: [lastHeader], headers, logs, announced: added }
}

/** The block that announces the log's address or, for a log of a PoolManager, its pool. */
function announcedAt({ address, topics: [, id] }: ChainLog, found: ReadonlyMap<Hex, number>): number | undefined {
  return found.get(address) ?? (id === undefined ? undefined : found.get(id))
}

/**
 * The addresses and pool ids that the logs announce, each with the announcing block. Left out are those that are watched, known, or already
 * found in the same block or an earlier one.
 */
function announcements(
  logs: readonly ChainLog[],
  watchlist: Watchlist,
  known: ReadonlySet<Hex>,
  found: ReadonlyMap<Hex, number>,
): ReadonlyMap<Hex, number> {
  const fresh = new Map<Hex, number>()
  for (const [block, blockLogs] of Map.groupBy(logs, ({ blockNumber }) => blockNumber)) {
    for (const key of watchlist.discover(blockLogs)) {
      if (!known.has(key) && !fresh.has(key) && block < (found.get(key) ?? Number.POSITIVE_INFINITY)) fresh.set(key, block)
    }
  }
  return fresh
}

function leastOf(blocks: Iterable<number>): number {
  let least = Number.POSITIVE_INFINITY
  for (const block of blocks) least = Math.min(least, block)
  return least
}

/** The headers of the blocks that have logs, ascending. Every single log is held against its header: one answer may mix two forks. */
async function fetchHeaders(source: RangeSource, logs: readonly ChainLog[]): Promise<readonly BlockHeader[]> {
  const headers = await source.headers(blocksOf(logs))
  assertInBlocks(logs, headers)
  return headers
}

/** The blocks that have logs, ascending. */
function blocksOf(logs: readonly ChainLog[]): readonly number[] {
  const blocks: number[] = []
  for (const { blockNumber } of logs) if (blockNumber !== blocks.at(-1)) blocks.push(blockNumber)
  return blocks
}

/** @throws `RpcError` `inconsistent` for a log whose block hash is not that of the block with its number */
function assertInBlocks(logs: readonly ChainLog[], headers: readonly BlockHeader[]): void {
  const hashes = new Map(headers.map(({ number, hash }) => [number, hash]))
  for (const { blockNumber, blockHash } of logs) if (hashes.get(blockNumber) !== blockHash) throw replaced(blockNumber)
}

/**
 * The range's last block, which becomes the cursor: below it nothing can be undone. Once all logs are there, one provider has to show the
 * range's first block, the last one with its child, and the end, all as they were. The provider may have switched to another chain
 * meanwhile, and nothing else would show that in a range without logs.
 */
async function fetchLast(source: RangeSource, number: number, first: BlockHeader, end: BlockHeader): Promise<BlockHeader> {
  const numbers = number === end.number ? [first.number, number] : [first.number, number, number + 1, end.number]
  const shown = await source.headers(numbers)
  if (shown[0]?.hash !== first.hash || shown.at(-1)?.hash !== end.hash) throw replaced(end.number)
  if (number === end.number) return end
  const [, last, next] = shown
  if (last === undefined || next?.parentHash !== last.hash) throw replaced(number)
  return last
}

function replaced(number: number): RpcError {
  return inconsistent(`block ${number} was replaced while its range was fetched`)
}

/** Two ascending lists as one, each log once: the log that initialises a pool in a PoolManager is asked for before its id is known, too. */
function merge(a: readonly ChainLog[], b: readonly ChainLog[]): readonly ChainLog[] {
  if (b.length === 0) return a
  const sorted = [...a, ...b].toSorted(comparePlaces)
  return sorted.filter((log, index) => {
    const before = sorted[index - 1]
    return before === undefined || before.blockHash !== log.blockHash || comparePlaces(log, before) !== 0
  })
}

/** Which addresses' logs are indexed; the directory of known tokens implements it. It grows with what is committed. */
export interface Watchlist extends PastWatchlist {
  /** The first block to index. */
  readonly startBlock: number
  /** The addresses and topics to query for the logs of these addresses and pool ids. */
  partsOf(keys: readonly Hex[]): WatchedParts
  /** The same for everything that is watched, including the launchpads' contracts, and for these addresses and pool ids. */
  partsWith(keys: readonly Hex[]): WatchedParts
  /** The watchlist as it was after this block. */
  upTo(block: number): PastWatchlist
}

/** Decides which of the given logs are indexed. */
export interface PastWatchlist {
  has(address: Address): boolean
  /** Whether any launchpad understands logs with this first topic. */
  isUnderstood(topic: Hex | undefined): boolean
  /** The addresses and pool ids that these logs announce and that are not watched yet: at least those that their commit will watch. */
  discover(logs: readonly ChainLog[]): readonly Hex[]
}

export type WatchedParts = Pick<LogRangeQuery, 'addresses' | 'topics' | 'filtered'>

/** How far announcements reach in one block: a launchpad's contract announces a curve, and the curve its pool, which announces nothing. */
const ANNOUNCING_STEPS = 2
