import { fetchHeader, fetchHeaders } from '#chain/block.ts'
import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { KeySet } from '#domain/maps.ts'
import { parseHeader } from '#rpc/header.ts'
import type { SmallerQuery } from '#rpc/limits.ts'
import type { RpcProvider } from '#rpc/provider.ts'
import type { Rpc } from '#rpc/rpc.ts'
import { blockByNumber, type LogFilter, logsInBlocks, logsOfBlock } from '#rpc/rpcCalls.ts'
import { faultOf, inconsistent } from '#rpc/rpcFault.ts'
import { markedAsRemoved, readLogs } from './parseLogs.ts'
import { assertProven, fetchProvenLogs, fetchReceiptsOneByOne, insteadOfQuery, logsOfReceipts } from './provenLogs.ts'

export type KeyList<Key> = readonly Key[] | KeySet<Key>

/** A `LogFilter` whose lists may be too long for one query, or too long to be held as strings. */
export interface WantedLogs {
  readonly addresses?: KeyList<Address>
  readonly topics?: readonly (KeyList<Hex> | null)[]
}

/** One query of logs: a part of a filter in some blocks, both ends inclusive. */
export interface LogQuery {
  readonly from: number
  readonly to: number
  readonly filter: WantedLogs
}

/** How much one query may ask for: `width` entries of a list at most. */
export interface QueryLimits {
  readonly blocks: number
  readonly width: number
}

export interface LogGathering {
  readonly query: LogQuery
  /** A block at or after the query's last one: every answer must come from a provider that has it on its chain. */
  readonly end: { readonly number: number; readonly hash: Hex }
  /** Tells the logs that a filter is for. */
  readonly testOf: (filter: WantedLogs) => (log: ChainLog) => boolean
  /** Whether each log has to be in the receipts of its block. */
  readonly provesLogs: boolean
}

/**
 * A provider that silently drops the logs past its limit has a limit like 1,000 or 10,000. So a query that was answered with a round number
 * of logs is asked again in parts.
 */
const ROUND_LOGS = 1_000

/** The outcome of a query. `cut`: the number of logs is round, some may be left out. `limits`: of the provider that was asked last. */
type Outcome =
  | { readonly kind: 'complete'; readonly logs: readonly ChainLog[] }
  | { readonly kind: 'cut'; readonly logs: readonly ChainLog[]; readonly limits: QueryLimits }
  | { readonly kind: 'refused'; readonly limits: QueryLimits }

/**
 * All wanted logs of a query, in no order, in as many parts as the limits of the providers ask for.
 *
 * @param rpc all providers, or one
 * @throws `RpcError`
 */
export async function gatherLogs(
  rpc: Pick<Rpc, 'ask' | 'preferred'>,
  { query: whole, end, testOf, provesLogs }: LogGathering,
): Promise<readonly ChainLog[]> {
  /** Asks one provider, and notes what its answer or refusal says about its limits. */
  const askProvider = async (provider: RpcProvider, query: LogQuery): Promise<Outcome> => {
    const { filter } = query
    const size = { blocks: blocksOf(query), addresses: widthOf(filter) }
    try {
      const logs = await fetchLogs(provider, query, end)
      assertAskedFor(logs, query, testOf(filter))
      if (provesLogs) await assertProven(provider, logs)
      if (logs.length === 0 || logs.length % ROUND_LOGS !== 0) {
        provider.logsAnswered(size)
        return { kind: 'complete', logs }
      }
      provider.logsRefused(size, 'cut')
      return { kind: 'cut', logs, limits: limitsOf(provider) }
    } catch (error) {
      const fault = faultOf(error)
      if (fault?.kind === 'too-large') provider.logsRefused(size, fault.limit)
      if (size.blocks > 1) throw error
      const logs = await insteadOfQuery(error, () => fetchFromReceipts(provider, query.from))
      return { kind: 'complete', logs: logs.filter(testOf(filter)) }
    }
  }

  const ask = async (query: LogQuery): Promise<Outcome> => {
    let asked = rpc.preferred()
    try {
      return await rpc.ask(provider => {
        asked = provider
        return askProvider(provider, query)
      })
    } catch (error) {
      if (faultOf(error)?.kind !== 'too-large') throw error
      return { kind: 'refused', limits: limitsOf(asked) }
    }
  }

  const gather = async (query: LogQuery): Promise<readonly ChainLog[]> => {
    // The limits may have been learned since the query was made.
    const known = limitsOf(rpc.preferred())
    if (exceeds(query, known)) return gatherParts(cutQuery(query, known))
    const outcome = await ask(query)
    if (outcome.kind === 'complete') return outcome.logs
    const parts = splitQuery(query, outcome.limits)
    if (parts !== null) return gatherParts(parts)
    return outcome.kind === 'cut' ? outcome.logs : gatherFromReceipts(query)
  }

  const gatherParts = async (parts: Iterable<LogQuery>): Promise<readonly ChainLog[]> => {
    const found: (readonly ChainLog[])[] = []
    for (const part of parts) found.push(await gather(part))
    return found.flat()
  }

  /** The logs of a query that can't be split, since one block holds too many for an answer: from the block's receipts. */
  const gatherFromReceipts = async ({ from, filter }: LogQuery): Promise<readonly ChainLog[]> => {
    const logs = await rpc.ask(provider => fetchFromReceipts(provider, from))
    return logs.filter(testOf(filter))
  }

  const fetchFromReceipts = async (provider: RpcProvider, block: number): Promise<readonly ChainLog[]> => {
    if (provesLogs) return fetchProvenLogs(provider, await fetchHeader(provider, block))
    return logsOfReceipts(await fetchReceiptsOneByOne(provider, blockByNumber(block)))
  }

  return gather(whole)
}

/**
 * All logs of the answer. The same request asks for the range's end block, to prove that the provider has the whole range, on the same
 * chain: a provider that lacks the last blocks answers with the logs of the others.
 */
async function fetchLogs(provider: RpcProvider, query: LogQuery, end: LogGathering['end']): Promise<readonly ChainLog[]> {
  const { from, to, filter } = query
  const calls = [logsInBlocks(from, to, toLogFilter(filter)), blockByNumber(end.number)]
  const [rawLogs, rawEnd] = await provider.calls(calls, { smaller: smallerQueries(query) })
  const { hash } = parseHeader(rawEnd, `block ${end.number}`)
  if (hash !== end.hash) throw inconsistent(`another block ${end.number}`)
  const { logs, removed } = readLogs(rawLogs)
  if (removed.length > 0) await assertReplaced(provider, removed)
  return logs
}

/** @throws `RpcError` `inconsistent` when a log is marked as removed though its block is on the provider's chain */
async function assertReplaced(provider: RpcProvider, removed: readonly ChainLog[]): Promise<void> {
  const hashes = new Map(removed.map(({ blockNumber, blockHash }) => [blockHash, blockNumber]))
  const headers = await fetchHeaders(provider, [...hashes.values()])
  if (headers.some(({ hash }) => hashes.has(hash))) throw markedAsRemoved()
}

/** @throws `RpcError` `inconsistent` for a log outside of the range, or one that is not wanted */
function assertAskedFor(logs: readonly ChainLog[], { from, to }: LogQuery, isWanted: (log: ChainLog) => boolean): void {
  if (!logs.every(isWanted)) throw inconsistent('a log that was not asked for')
  const outside = logs.find(({ blockNumber }) => blockNumber < from || blockNumber > to)
  if (outside !== undefined) throw inconsistent(`a log of block ${outside.blockNumber} in ${from}-${to}`)
}

/** A contract that is on every chain and emits no logs: the precompile `ecrecover`. */
const SILENT: Address = '0x0000000000000000000000000000000000000001' as Address
/** The first topic of no log. */
const UNUSED_TOPIC: Hex = `0x${'0'.repeat(63)}1`
const SMALLEST: LogFilter = { addresses: [SILENT] }

/**
 * Queries of one block without logs, which distinguish a provider in trouble from one that refuses the size of this query: one of a single
 * address, and one as wide as this one. They are of the query's first block, or of its second.
 */
function smallerQueries({ from, to, filter }: LogQuery): readonly (readonly SmallerQuery[])[] {
  const inBlock = (block: number): readonly SmallerQuery[] => {
    const smallest = logsInBlocks(block, block, SMALLEST)
    if (widthOf(filter) <= 1) return [{ call: smallest, limit: 'blocks' }]
    const asWide = logsInBlocks(block, block, withoutLogs(toLogFilter(filter)))
    return [
      { call: smallest, limit: 'addresses' },
      { call: asWide, limit: 'blocks' },
    ]
  }
  return from < to ? [inBlock(from), inBlock(from + 1)] : [inBlock(from)]
}

/** The smaller queries for all logs of a block, by its hash or number. */
export function smallerThanBlock(block: Hex | number): readonly (readonly SmallerQuery[])[] {
  const call = typeof block === 'number' ? logsInBlocks(block, block, SMALLEST) : logsOfBlock(block, SMALLEST)
  return [[{ call, limit: 'address-required' }]]
}

/** A filter as wide that no log fits. */
function withoutLogs({ addresses = [], topics = [] }: LogFilter): LogFilter {
  return addresses.length > 1 ? { addresses, topics: [[UNUSED_TOPIC], ...topics.slice(1)] } : { addresses: [SILENT], topics }
}

export function limitsOf({ limits }: Pick<RpcProvider, 'limits'>): QueryLimits {
  return { blocks: limits.blocks.size, width: limits.addresses.size }
}

/** Whether a query is larger than the limits allow. */
function exceeds(query: LogQuery, { blocks, width }: QueryLimits): boolean {
  return blocksOf(query) > blocks || widthOf(query.filter) > width
}

/** Queries within the limits, ascending by block, each made when it is asked for: a long list gives thousands. */
export function* cutQuery({ from: first, to: last, filter }: LogQuery, { blocks, width }: QueryLimits): Generator<LogQuery, undefined> {
  for (let from = first; from <= last; from += blocks) {
    const to = Math.min(last, from + blocks - 1)
    for (const part of inParts(filter, width)) yield { from, to, filter: part }
  }
}

/** Queries that are smaller than a refused one: within the limits, else halves by block, else by list. `null`: it can't be smaller. */
function splitQuery(query: LogQuery, limits: QueryLimits): Iterable<LogQuery> | null {
  if (exceeds(query, limits)) return cutQuery(query, limits)
  const [blocks, width] = [blocksOf(query), widthOf(query.filter)]
  if (blocks > 1) return cutQuery(query, { blocks: Math.ceil(blocks / 2), width })
  return width > 1 ? cutQuery(query, { blocks, width: Math.ceil(width / 2) }) : null
}

function blocksOf({ from, to }: LogQuery): number {
  return to - from + 1
}

/** The length of the longest list: providers limit addresses and the topics of one position alike. */
function widthOf({ addresses = [], topics = [] }: WantedLogs): number {
  return Math.max(lengthOf(addresses), ...topics.map(some => lengthOf(some ?? [])))
}

function lengthOf(list: KeyList<Hex>): number {
  return 'length' in list ? list.length : list.size
}

/** The filter in several with at most `most` entries of the longest list each, made one by one. */
function* inParts(filter: WantedLogs, most: number): Generator<LogFilter> {
  const { addresses = [], topics = [] } = filter
  const width = widthOf(filter)
  if (width <= most) {
    yield toLogFilter(filter)
    return
  }
  const at = lengthOf(addresses) === width ? null : topics.findIndex(some => lengthOf(some ?? []) === width)
  const withPart = (part: readonly Hex[]) =>
    toLogFilter(
      at === null
        ? { ...filter, addresses: part as readonly Address[] }
        : { ...filter, topics: topics.map((some, place) => (place === at ? part : some)) },
    )
  let part: Hex[] = []
  for (const key of at === null ? addresses : (topics[at] ?? [])) {
    if (part.push(key) < most) continue
    yield withPart(part)
    part = []
  }
  if (part.length > 0) yield withPart(part)
}

/** The filter as a provider gets it. */
function toLogFilter({ addresses, topics }: WantedLogs): LogFilter {
  return {
    ...(addresses !== undefined && { addresses: [...addresses] }),
    ...(topics !== undefined && { topics: topics.map(some => (some === null ? null : [...some])) }),
  }
}

/** A test of logs against the filter. Costs a copy of its arrays. */
export function createLogTest({ addresses, topics = [] }: WantedLogs): (log: ChainLog) => boolean {
  const setOf = <Key>(list: KeyList<Key>) => ('length' in list ? new Set(list) : list)
  const wanted = addresses === undefined ? null : setOf(addresses)
  const matching = topics.map(some => (some === null ? null : setOf(some)))
  return log => {
    if (wanted !== null && !wanted.has(log.address)) return false
    return matching.every((some, position) => some === null || some.has(log.topics[position] ?? '0x'))
  }
}
