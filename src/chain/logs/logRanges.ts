import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { type ComparedLogsOptions, createComparedLogs } from './comparedLogs.ts'
import { createLogTest, cutQuery, type KeyList, type LogQuery, limitsOf, type QueryLimits, type WantedLogs } from './gatherLogs.ts'
import { assertOwnPlaces, orderLogs } from './parseLogs.ts'

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
  /** Nothing more is fetched once this many logs are there: bounds the memory where blocks are busy. */
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

export interface LogRangesOptions extends ComparedLogsOptions {
  /** Queries in flight at the same time. */
  readonly concurrency: number
  /** Whether each log has to be in the receipts of its block. Default false. */
  readonly provesLogs?: boolean
}

export function createLogRanges({ concurrency, provesLogs = false, ...options }: LogRangesOptions): LogRanges {
  const { rpc } = options
  const fetchCompared = createComparedLogs(options)

  return {
    fetch: async query => {
      const filters = filtersOf(query)
      if (filters.length === 0) return { logs: [], to: query.to }
      const tests = new Map(filters.map(filter => [filter, createLogTest(filter)]))
      const gathering = { end: query.end, provesLogs, testOf: (filter: WantedLogs) => tests.get(filter) ?? createLogTest(filter) }
      const plan = createLogPlan({ from: query.from, to: query.to, filters, limits: () => limitsOf(rpc.preferred()) })
      const found: (readonly ChainLog[])[] = []
      let count = 0
      let failed = false
      const work = async () => {
        for (let next = plan.next(false); next !== null && !failed; next = plan.next(count > query.maxLogs)) {
          try {
            const logs = await fetchCompared({ ...gathering, query: next })
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

/** The filters that a query asks for together. */
export function filtersOf({
  addresses,
  topics,
  filtered = [],
}: Pick<LogRangeQuery, 'addresses' | 'topics' | 'filtered'>): readonly WantedLogs[] {
  const unique = 'length' in addresses ? new Set(addresses) : addresses
  const listed = { addresses: unique, ...(topics !== undefined && { topics: [topics] }) }
  return [...(unique.size === 0 ? [] : [listed]), ...filtered.map(({ address, topics }) => ({ addresses: [address], topics }))]
}

interface LogPlan {
  /**
   * The next query, or `null`. With `enough` logs no further blocks are begun: the other filters only catch up with the one that is ahead.
   */
  next(enough: boolean): LogQuery | null
  /** The last block up to which the queries given out cover all filters. */
  reached(): number
}

interface LogPlanOptions {
  readonly from: number
  readonly to: number
  readonly filters: readonly WantedLogs[]
  /** Called before each series of queries, so that it can use what earlier answers have shown. */
  limits(): QueryLimits
}

/** Gives out queries roughly in the order of blocks: the next series is of the filter that has covered the fewest blocks. */
function createLogPlan({ from, to, filters, limits }: LogPlanOptions): LogPlan {
  const tracks = filters.map(filter => ({ filter, next: from }))
  let queries: Iterator<LogQuery, undefined> = [][Symbol.iterator]()
  const begin = (goal: number): Iterator<LogQuery, undefined> => {
    const track = tracks.reduce((least, one) => (one.next < least.next ? one : least))
    if (track.next > goal) return [][Symbol.iterator]()
    const known = limits()
    const query = { from: track.next, to: Math.min(goal, track.next + known.blocks - 1), filter: track.filter }
    track.next = query.to + 1
    return cutQuery(query, known)
  }
  return {
    next: enough => {
      const { value } = queries.next()
      if (value !== undefined) return value
      queries = begin(enough ? Math.max(...tracks.map(({ next }) => next)) - 1 : to)
      return queries.next().value ?? null
    },
    reached: () => Math.min(...tracks.map(({ next }) => next)) - 1,
  }
}
