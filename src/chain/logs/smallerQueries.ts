import type { Address, Hex } from '#domain/address.ts'
import type { SmallerQuery } from '#rpc/exceededLimit.ts'
import { type LogFilter, logsInBlocks, logsOfBlock } from '#rpc/rpcCalls.ts'
import { widthOf } from './logFilter.ts'
import { type LogQuery, sentFilter } from './logQueries.ts'

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
export function smallerQueries(query: LogQuery): readonly (readonly SmallerQuery[])[] {
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
