import type { LogRange, LogRangeQuery } from '#chain/logs/logRanges.ts'
import type { Hex } from '#domain/address.ts'
import type { BlockHeader, ChainLog } from '#domain/block.ts'
import { comparePlaces } from '#domain/eventPlace.ts'
import { inconsistent, missing, type RpcError } from '#rpc/rpcFault.ts'
import type { FetchedBatch } from '#sync/batch.ts'
import { ANNOUNCING_STEPS, type Watchlist } from '#sync/watchlist.ts'

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
  logsInRange(query: LogRangeQuery, since: ReadonlyMap<Hex, number>): Promise<LogRange>
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
  /** What the queries of logs gave, which may reach past the last block. */
  readonly answers: readonly LogRange[]
  /** The addresses and pool ids that the range announces, each with the announcing block. */
  readonly announced: ReadonlyMap<Hex, number>
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
  const one = await source.logsInRange({ from, to, end, ...watchlist.partsWith(announced), maxLogs }, NOTHING_ANNOUNCED)
  const answers = [one]

  const found = new Map<Hex, number>()
  let { logs, to: last } = one
  for (let step = 0; step < ANNOUNCING_STEPS; step++) {
    const fresh = announcements(logs, watchlist, known, found)
    if (fresh.size === 0) break
    for (const [key, block] of fresh) found.set(key, block)
    const parts = watchlist.partsOf([...fresh.keys()])
    const more = await source.logsInRange({ from: leastOf(fresh.values()), to: last, end, ...parts, maxLogs }, fresh)
    answers.push(more)
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
  await source.fetched?.({ first, last: lastHeader, headers, answers, announced: found })
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

/** Two ascending lists as one. */
function merge(a: readonly ChainLog[], b: readonly ChainLog[]): readonly ChainLog[] {
  return b.length === 0 ? a : [...a, ...b].toSorted(comparePlaces)
}
