import { fetchHeader, fetchHeaders } from '#chain/block.ts'
import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { parseHeader } from '#rpc/header.ts'
import { type LogLimit, sizeHint } from '#rpc/logLimit.ts'
import type { Rpc, RpcProvider } from '#rpc/rpc.ts'
import { blockByNumber, logsInBlocks } from '#rpc/rpcCalls.ts'
import { faultOf, inconsistent, providerWords, type RpcFault } from '#rpc/rpcFault.ts'
import { createLogTest, type KeyList, type WantedLogs, widthOf } from './logFilter.ts'
import { blocksOf, byAddress, createLogPlan, exceeds, type LogQuery, sentFilter, splitQuery } from './logQueries.ts'
import { createLogStrategy, type LogStrategy } from './logStrategy.ts'
import { assertOwnPlaces, orderLogs } from './orderLogs.ts'
import { markedAsRemoved, readLogs } from './parseLogs.ts'
import { assertProven, fetchProvenLogs } from './provenLogs.ts'
import { fetchInstead, fetchReceipts, logsOfReceipts } from './receipts.ts'
import { smallerQueries } from './smallerQueries.ts'

export interface LogRangeQuery {
  readonly from: number
  /** Inclusive. */
  readonly to: number
  /** A block at or after `to`: every answer must come from a provider that has it on its chain. */
  readonly end: { readonly number: number; readonly hash: Hex }
  readonly addresses: KeyList<Address>
  /** The first topics of the logs of `addresses` that matter. Left out: all do, and the logs are always asked for by address. */
  readonly topics?: readonly Hex[]
  /** Contracts that are not among `addresses`, of whose logs only some matter. */
  readonly filtered?: readonly FilteredAddress[]
  /** Nothing more is fetched once this many logs are there: bounds the memory in a busy stretch. */
  readonly maxLogs: number
}

/** The logs of one contract whose topics match. */
export interface FilteredAddress {
  readonly address: Address
  /** Only the last list may be long. */
  readonly topics: readonly (KeyList<Hex> | null)[]
}

export interface LogRange {
  /** Ascending by (block, log index), each once. */
  readonly logs: readonly ChainLog[]
  /** The last block whose logs are all there: the query's `to`, or an earlier one when `maxLogs` was reached. */
  readonly to: number
}

export interface LogRanges {
  /** @throws `RpcError` */
  fetch(query: LogRangeQuery): Promise<LogRange>
}

export interface LogRangesOptions {
  readonly rpc: Pick<Rpc, 'ask' | 'preferred'>
  /** Queries in flight at the same time. */
  readonly concurrency: number
  /** Whether each log has to be in the receipts of its block. Default false. */
  readonly provesLogs?: boolean
}

/**
 * A provider that silently drops the logs past its limit has a limit like 1,000 or 10,000. So a query that was answered with a round number
 * of logs is asked again in parts.
 */
const ROUND_LOGS = 1_000

/** One range being fetched. */
interface RangeFetch {
  readonly query: LogRangeQuery
  readonly tests: ReadonlyMap<WantedLogs, (log: ChainLog) => boolean>
}

type Limits = ReturnType<LogStrategy['limits']>

/** The outcome of a query. `limits`: the limits of the provider that was asked last. */
type Outcome =
  | { readonly kind: 'complete'; readonly logs: readonly ChainLog[] }
  /** Their number is round: some may be left out. */
  | { readonly kind: 'cut'; readonly logs: readonly ChainLog[]; readonly limits: Limits }
  | { readonly kind: 'refused'; readonly limit: LogLimit; readonly limits: Limits }

export function createLogRanges({ rpc, concurrency, provesLogs = false }: LogRangesOptions): LogRanges {
  const strategy = createLogStrategy()

  /** Asks one provider, and notes what its answer or refusal says about its limits. */
  const askProvider = async (provider: RpcProvider, query: LogQuery, fetching: RangeFetch): Promise<Outcome> => {
    const { filter } = query
    const size = { blocks: blocksOf(query), addresses: query.by === 'topic' ? 0 : widthOf(filter) }
    try {
      const all = await fetchLogs(provider, query, fetching.query.end)
      const logs = wantedLogs(all, query, fetching)
      if (provesLogs) await assertProven(provider, logs)
      strategy.answered(query, all.length, logs.length)
      if (all.length === 0 || all.length % ROUND_LOGS !== 0) {
        provider.logsAnswered(size)
        return { kind: 'complete', logs }
      }
      provider.logsRefused(size, { limit: 'cut', hint: null })
      return { kind: 'cut', logs, limits: strategy.limits(provider, filter) }
    } catch (error) {
      const fault = faultOf(error)
      if (fault?.kind === 'too-large') provider.logsRefused(size, { limit: fault.limit, hint: hintIn(fault, query) })
      if (size.blocks > 1) throw error
      const logs = await fetchInstead(error, () => fetchByReceipts(provider, query.from))
      return { kind: 'complete', logs: logs.filter(wantedTest(query, fetching)) }
    }
  }

  const ask = async (query: LogQuery, fetching: RangeFetch): Promise<Outcome> => {
    let asked = rpc.preferred()
    try {
      return await rpc.ask(provider => {
        asked = provider
        return askProvider(provider, query, fetching)
      })
    } catch (error) {
      const fault = faultOf(error)
      if (fault?.kind !== 'too-large') throw error
      return { kind: 'refused', limit: fault.limit, limits: strategy.limits(asked, query.filter) }
    }
  }

  const fetchQuery = async (query: LogQuery, fetching: RangeFetch): Promise<readonly ChainLog[]> => {
    // The limits may have been learned since the query was made.
    const known = strategy.limits(rpc.preferred(), query.filter)
    if (exceeds(query, known)) return fetchParts(splitQuery(query, known) ?? [], fetching)
    const outcome = await ask(query, fetching)
    if (outcome.kind === 'complete') return outcome.logs
    const isByAddress = outcome.kind === 'refused' && outcome.limit === 'address-required'
    const parts = isByAddress ? byAddress(query, outcome.limits) : splitQuery(query, outcome.limits)
    if (parts !== null) return fetchParts(parts, fetching)
    return outcome.kind === 'cut' ? outcome.logs : fetchSmallest(query, fetching)
  }

  const fetchParts = async (parts: Iterable<LogQuery>, fetching: RangeFetch): Promise<readonly ChainLog[]> => {
    const found: (readonly ChainLog[])[] = []
    for (const part of parts) found.push(await fetchQuery(part, fetching))
    return found.flat()
  }

  /** The logs of a query that can't be split, since one block holds too many for an answer: from the block's receipts. */
  const fetchSmallest = async (query: LogQuery, fetching: RangeFetch): Promise<readonly ChainLog[]> => {
    const logs = await rpc.ask(provider => fetchByReceipts(provider, query.from))
    return logs.filter(wantedTest(query, fetching))
  }

  const fetchByReceipts = async (provider: RpcProvider, block: number): Promise<readonly ChainLog[]> => {
    if (provesLogs) return fetchProvenLogs(provider, await fetchHeader(provider, block))
    return logsOfReceipts(await fetchReceipts(provider, blockByNumber(block)))
  }

  return {
    fetch: async query => {
      const filters = filtersOf(query)
      if (filters.length === 0) return { logs: [], to: query.to }
      const fetching: RangeFetch = { query, tests: new Map(filters.map(filter => [filter, createLogTest(filter)])) }
      const checked = new Set<WantedLogs>()
      const choose = (filter: WantedLogs, blocks: number) => {
        const choice = strategy.choose(rpc.preferred(), filter, blocks, !checked.has(filter))
        checked.add(filter)
        return choice
      }
      const plan = createLogPlan({ from: query.from, to: query.to, filters, choose })
      const found: (readonly ChainLog[])[] = []
      let count = 0
      let failed = false
      const work = async () => {
        for (let next = plan.next(false); next !== null && !failed; next = plan.next(count > query.maxLogs)) {
          try {
            const logs = await fetchQuery(next, fetching)
            found.push(logs)
            count += logs.length
          } catch (error) {
            failed = true
            throw error
          }
        }
      }
      const outcomes = await Promise.allSettled(Array.from({ length: concurrency }, work))
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
      const logs = orderLogs(found.flat())
      assertOwnPlaces(logs)
      return { logs, to: plan.reached() }
    },
  }
}

function filtersOf({ addresses, topics, filtered = [] }: LogRangeQuery): readonly WantedLogs[] {
  const unique = 'length' in addresses ? new Set(addresses) : addresses
  const listed = { addresses: unique, ...(topics !== undefined && { topics: [topics] }) }
  return [...(unique.size === 0 ? [] : [listed]), ...filtered.map(({ address, topics }) => ({ addresses: [address], topics }))]
}

/**
 * All logs of the answer. The same request asks for the range's end block, to prove that the provider has the whole range, on the same
 * chain: a provider that lacks the last blocks answers with the logs of the others.
 */
async function fetchLogs(provider: RpcProvider, query: LogQuery, end: LogRangeQuery['end']): Promise<readonly ChainLog[]> {
  const { from, to } = query
  const calls = [logsInBlocks(from, to, sentFilter(query)), blockByNumber(end.number)]
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

/** The size that the provider's words suggest. */
function hintIn({ limit, cause }: Extract<RpcFault, { kind: 'too-large' }>, query: LogQuery): number | null {
  const size = limit === 'blocks' ? blocksOf(query) : widthOf(query.filter)
  return sizeHint(providerWords(cause), { limit, size, from: query.from, to: query.to })
}

function wantedTest({ filter }: LogQuery, { tests }: RangeFetch): (log: ChainLog) => boolean {
  return tests.get(filter) ?? createLogTest(filter)
}

/** @throws `RpcError` `inconsistent` for a wanted log outside of the range and, in a query by address, for a log that is not wanted */
function wantedLogs(all: readonly ChainLog[], query: LogQuery, fetching: RangeFetch): readonly ChainLog[] {
  const { from, to, by } = query
  const logs = all.filter(wantedTest(query, fetching))
  if (by === 'address' && logs.length < all.length) throw inconsistent('a log that was not asked for')
  const outside = logs.find(({ blockNumber }) => blockNumber < from || blockNumber > to)
  if (outside === undefined) return logs
  throw inconsistent(`a log of block ${outside.blockNumber} in ${from}-${to}`)
}
