import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { parseHeader } from '#rpc/parseHeader.ts'
import type { Rpc, RpcProvider } from '#rpc/rpc.ts'
import type { LogFilter, Topics } from '#rpc/rpcCalls.ts'
import { blockByNumber, logsInBlocks } from '#rpc/rpcCalls.ts'
import { faultOf, RpcError, type RpcFault } from '#rpc/rpcFault.ts'
import { createLogTest, type LogTest } from './logFilter.ts'
import { askedOf, createLogPlan, type LogPiece, named, splitPiece } from './logQueries.ts'
import { type AnsweredLogs, createLogWays } from './logStrategy.ts'
import { parseLogs } from './parseLogs.ts'

export interface LogRangeQuery {
  readonly from: number
  /** Inclusive. */
  readonly to: number
  /** A block at or after `to`: every answer must come from a provider on whose chain it is. */
  readonly end: { readonly number: number; readonly hash: Hex }
  readonly addresses: readonly Address[]
  /** The first topics of the logs of `addresses` that matter. Left out: all do, and the addresses are always named. */
  readonly topics?: readonly Hex[]
  /** Contracts that are not among `addresses` and whose logs matter only as far as their topics fit. */
  readonly filtered?: readonly FilteredAddress[]
  /** No more is fetched once this many logs are there, so that a busy stretch can't fill the memory. */
  readonly maxLogs: number
}

/** Of one contract's logs those whose topics fit. */
export interface FilteredAddress {
  readonly address: Address
  /** Only the last list may be long. */
  readonly topics: Topics
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
  /** How many blocks the provider is asked for at once now, as learned from what it refused. */
  blocksAtOnce(provider: string): number
}

export interface LogRangesOptions {
  readonly rpc: Pick<Rpc, 'ask' | 'preferred'>
  /** Queries that are under way at the same time. */
  readonly concurrency: number
  /** A longer list is asked for in parts, or left out. Default 1,000: geth refuses more addresses, and more topics of one position. */
  readonly mostListed?: number | undefined
}

const MOST_LISTED = 1_000
/** So many pieces in a row that time out are cut smaller; after that it is the provider that hangs, and whoever asked shall know. */
const TIMEOUTS_IN_A_ROW = 2
/** Who leaves out without a word what is past a limit has one like 1,000 or 10,000: an answer of so many logs is held against its parts. */
const ROUND_LOGS = 1_000

/** One query being answered. */
interface Run {
  readonly query: LogRangeQuery
  /** Tells the wanted logs of answers to open pieces, by what is wanted. */
  readonly tests: Map<LogFilter, LogTest>
  timeoutsInARow: number
}

type PieceOutcome =
  | { readonly kind: 'logs'; readonly logs: readonly ChainLog[] }
  /** To be asked for otherwise; where that can't be, `last` is what there is. */
  | { readonly kind: 'again'; readonly provider: string; readonly how: 'smaller' | 'named'; readonly last: () => readonly ChainLog[] }

export function createLogRanges({ rpc, concurrency, mostListed = MOST_LISTED }: LogRangesOptions): LogRanges {
  const ways = createLogWays(mostListed)

  const askPiece = async (piece: LogPiece, run: Run): Promise<PieceOutcome> => {
    let provider = ''
    const question = async (one: RpcProvider): Promise<PieceOutcome> => {
      provider = one.name
      try {
        const { logs, all } = await fetchPiece(one, piece, run)
        if (all > 0 && all % ROUND_LOGS === 0) {
          ways.refused(provider, piece, { kind: 'density' })
          return { kind: 'again', provider, how: 'smaller', last: () => logs }
        }
        ways.answered(provider, piece, { all, kept: logs.length })
        return { kind: 'logs', logs }
      } catch (error) {
        const fault = faultOf(error)
        if (fault?.kind === 'too-large') ways.refused(provider, piece, fault.limit)
        if (fault?.kind === 'timeout') ways.refused(provider, piece, { kind: 'density' })
        throw error
      }
    }
    try {
      const outcome = await rpc.ask(question)
      run.timeoutsInARow = 0
      return outcome
    } catch (error) {
      const fault = faultOf(error)
      const last = () => {
        throw error
      }
      if (piece.way === 'open' && needsNames(fault)) {
        ways.closed(provider, piece)
        return { kind: 'again', provider, how: 'named', last }
      }
      const smaller = fault?.kind === 'too-large' || (fault?.kind === 'timeout' && ++run.timeoutsInARow <= TIMEOUTS_IN_A_ROW)
      if (!smaller) throw error
      return { kind: 'again', provider, how: 'smaller', last }
    }
  }

  const fetchSplitting = async (piece: LogPiece, run: Run): Promise<readonly ChainLog[]> => {
    const outcome = await askPiece(piece, run)
    if (outcome.kind === 'logs') return outcome.logs
    const sizes = ways.sizes(outcome.provider, piece.filter)
    const parts = outcome.how === 'named' ? named(piece, sizes) : splitPiece(piece, sizes)
    if (outcome.how === 'smaller' && parts.length === 1 && parts[0]?.way === piece.way) return outcome.last()
    const found: (readonly ChainLog[])[] = []
    for (const part of parts) found.push(await fetchSplitting(part, run))
    return found.flat()
  }

  return {
    blocksAtOnce: provider => ways.blocksAtOnce(provider),
    fetch: async query => {
      const filters = filtersOf(query)
      if (filters.length === 0) return { logs: [], to: query.to }
      const run: Run = { query, tests: new Map(), timeoutsInARow: 0 }
      const { from, to } = query
      const plan = createLogPlan({ from, to, filters, choose: (filter, blocks) => ways.choose(rpc.preferred(), filter, blocks) })
      const found: (readonly ChainLog[])[] = []
      let count = 0
      let failed = false
      const work = async () => {
        for (let piece = plan.next(false); piece !== null && !failed; piece = plan.next(count > query.maxLogs)) {
          try {
            const logs = await fetchSplitting(piece, run)
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
      return { logs: inOrder(found.flat()), to: plan.reached() }
    },
  }
}

/** Faults at a query without a list that the same query with it may not meet; those of a broken provider come back then. */
function needsNames(fault: RpcFault | null): boolean {
  if (fault?.kind === 'too-large') return fault.limit.kind === 'unlisted'
  return fault !== null && ['rejected', 'node', 'http', 'timeout'].includes(fault.kind)
}

function filtersOf({ addresses, topics, filtered = [] }: LogRangeQuery): readonly LogFilter[] {
  const listed = { addresses: [...new Set(addresses)], ...(topics !== undefined && { topics: [topics] }) }
  return [...(addresses.length === 0 ? [] : [listed]), ...filtered.map(({ address, topics }) => ({ addresses: [address], topics }))]
}

interface FetchedPiece {
  readonly logs: readonly ChainLog[]
  /** How many the answer held. */
  readonly all: AnsweredLogs['all']
}

async function fetchPiece(provider: RpcProvider, piece: LogPiece, { query: { end }, tests }: Run): Promise<FetchedPiece> {
  const { from, to, way, filter } = piece
  // Together with the range's end, by which the provider shows that it has the range at all and on the same chain:
  // asked for blocks that it does not have yet, it would answer with what it has, and nobody could tell.
  const [rawLogs, rawEnd] = await provider.calls([logsInBlocks(from, to, askedOf(piece)), blockByNumber(end.number)])
  const { hash } = parseHeader(rawEnd, `block ${end.number}`)
  if (hash !== end.hash) throw new RpcError({ kind: 'inconsistent', what: `another block ${end.number}` })
  const known = tests.get(filter)
  const test = known ?? createLogTest(filter)
  if (way === 'open' && known === undefined) tests.set(filter, test)
  const all = parseLogs(rawLogs)
  const logs = way === 'open' ? all.filter(({ address, topics }) => test(address, position => topics[position])) : all
  for (const { address, blockNumber, topics } of logs) {
    if (blockNumber < from || blockNumber > to)
      throw new RpcError({ kind: 'inconsistent', what: `a log of block ${blockNumber} in ${from}-${to}` })
    if (way === 'named' && !test(address, position => topics[position]))
      throw new RpcError({ kind: 'inconsistent', what: 'a log that was not asked for' })
  }
  return { logs, all: all.length }
}

/**
 * Sorts by place in the chain.
 *
 * @throws `RpcError` `inconsistent` when a place is taken twice or a block has two hashes: then the answers are of different chains
 */
function inOrder(logs: ChainLog[]): readonly ChainLog[] {
  logs.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
  let before: ChainLog | null = null
  for (const log of logs) {
    if (before?.blockNumber === log.blockNumber) {
      if (before.logIndex === log.logIndex)
        throw new RpcError({ kind: 'inconsistent', what: `log ${log.logIndex} of block ${log.blockNumber} twice` })
      if (before.blockHash !== log.blockHash) throw new RpcError({ kind: 'inconsistent', what: `logs of two blocks ${log.blockNumber}` })
    }
    before = log
  }
  return logs
}
