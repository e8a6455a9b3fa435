import { fetchHeader, fetchHeaders } from '#chain/block.ts'
import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { parseHeader } from '#rpc/header.ts'
import { type SmallerQuery, sizeHint } from '#rpc/limits.ts'
import type { RpcProvider } from '#rpc/provider.ts'
import type { Rpc } from '#rpc/rpc.ts'
import { blockByNumber, type LogFilter, logsInBlocks, logsOfBlock } from '#rpc/rpcCalls.ts'
import { faultOf, inconsistent, type LogLimit, providerWords, type RpcFault } from '#rpc/rpcFault.ts'
import {
  blocksOf,
  byAddress,
  exceeds,
  type LimitsOfQueries,
  type LogQuery,
  type LogStrategy,
  sentFilter,
  splitQuery,
  type WantedLogs,
  widthOf,
} from './logFilter.ts'
import { markedAsRemoved, readLogs } from './parseLogs.ts'
import { assertProven, fetchProvenLogs, fetchReceiptsOneByOne, insteadOfQuery, logsOfReceipts } from './provenLogs.ts'

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

/** The outcome of a query. `limits`: the limits of the provider that was asked last. */
type Outcome =
  | { readonly kind: 'complete'; readonly logs: readonly ChainLog[] }
  /** The number of logs is round: some may be left out. */
  | { readonly kind: 'cut'; readonly logs: readonly ChainLog[]; readonly limits: LimitsOfQueries }
  | { readonly kind: 'refused'; readonly limit: LogLimit; readonly limits: LimitsOfQueries }

/**
 * All wanted logs of a query, in no order, in as many parts as the limits of the providers ask for.
 *
 * @param rpc all providers, or one
 * @param strategy learns from the answers
 * @throws `RpcError`
 */
export async function gatherLogs(
  rpc: Pick<Rpc, 'ask' | 'preferred'>,
  strategy: LogStrategy,
  { query: whole, end, testOf, provesLogs }: LogGathering,
): Promise<readonly ChainLog[]> {
  /** Asks one provider, and notes what its answer or refusal says about its limits. */
  const askProvider = async (provider: RpcProvider, query: LogQuery): Promise<Outcome> => {
    const { filter } = query
    const size = { blocks: blocksOf(query), addresses: query.by === 'topic' ? 0 : widthOf(filter) }
    try {
      const all = await fetchLogs(provider, query, end)
      const logs = wantedLogs(all, query, testOf(filter))
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
      const fault = faultOf(error)
      if (fault?.kind !== 'too-large') throw error
      return { kind: 'refused', limit: fault.limit, limits: strategy.limits(asked, query.filter) }
    }
  }

  const gather = async (query: LogQuery): Promise<readonly ChainLog[]> => {
    // The limits may have been learned since the query was made.
    const known = strategy.limits(rpc.preferred(), query.filter)
    if (exceeds(query, known)) return gatherParts(splitQuery(query, known) ?? [])
    const outcome = await ask(query)
    if (outcome.kind === 'complete') return outcome.logs
    const isByAddress = outcome.kind === 'refused' && outcome.limit === 'address-required'
    const parts = isByAddress ? byAddress(query, outcome.limits) : splitQuery(query, outcome.limits)
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

/** @throws `RpcError` `inconsistent` for a wanted log outside of the range and, in a query by address, for a log that is not wanted */
function wantedLogs(all: readonly ChainLog[], { from, to, by }: LogQuery, isWanted: (log: ChainLog) => boolean): readonly ChainLog[] {
  const logs = all.filter(isWanted)
  if (by === 'address' && logs.length < all.length) throw inconsistent('a log that was not asked for')
  const outside = logs.find(({ blockNumber }) => blockNumber < from || blockNumber > to)
  if (outside === undefined) return logs
  throw inconsistent(`a log of block ${outside.blockNumber} in ${from}-${to}`)
}

/** A contract that is on every chain and emits no logs: the precompile `ecrecover`. */
const SILENT: Address = '0x0000000000000000000000000000000000000001' as Address
/** The first topic of no log. */
const UNUSED_TOPIC: Hex = `0x${'0'.repeat(63)}1`
const SMALLEST: LogFilter = { addresses: [SILENT] }
const WITHOUT_ADDRESSES: LogFilter = { topics: [[UNUSED_TOPIC]] }

/**
 * Queries of one block without logs, which distinguish a provider in trouble from one that refuses the size of this query: one of a single
 * address, and one as wide as this one. They are of the query's first block, or of its second.
 */
function smallerQueries(query: LogQuery): readonly (readonly SmallerQuery[])[] {
  const { from, to } = query
  return from < to ? [inBlock(query, from), inBlock(query, from + 1)] : [inBlock(query, from)]
}

function inBlock(query: LogQuery, block: number): readonly SmallerQuery[] {
  const { by, filter } = query
  const logsOf = (one: LogFilter) => logsInBlocks(block, block, one)
  if (by === 'topic') {
    return [
      { call: logsOf(SMALLEST), limit: 'address-required' },
      { call: logsOf(WITHOUT_ADDRESSES), limit: 'blocks' },
    ]
  }
  if (widthOf(filter) <= 1) return [{ call: logsOf(SMALLEST), limit: 'blocks' }]
  return [
    { call: logsOf(SMALLEST), limit: 'addresses' },
    { call: logsOf(withoutLogs(sentFilter(query))), limit: 'blocks' },
  ]
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
