import type { RpcProvider } from '#rpc/rpc.ts'
import { partCount, type WantedLogs, withoutList } from './logFilter.ts'
import { blocksOf, type LimitsOfQueries, type LogQuery, type LogQueryChoice } from './logQueries.ts'

/** Logs per answer to aim for, below what providers refuse: a larger answer keeps the thread busy for more than 10 ms at a time. */
const LOGS_PER_ANSWER = 2_000
/** A query costs about as much as this many logs. */
const LOGS_PER_QUERY = LOGS_PER_ANSWER / 2
/** The blocks of the first query by topic, which shows how busy the chain is. */
const FIRST_BLOCKS = 4
/**
 * A query by topic spans at most this many times the blocks of the largest one before: after quiet blocks, the next answer must not be
 * giant.
 */
const TOPIC_GROWTH = 4
/** The remembered logs per block shrink by this factor with every answer that shows fewer. */
const DENSITY_KEPT = 0.8

/** Logs per block, in the fullest of the last answers. */
interface Density {
  readonly all: number
  /** Foreign logs: logs that do not match the filter. */
  readonly foreign: number
  /** Blocks of the largest query. */
  readonly blocks: number
}

const NO_DENSITY: Density = { all: 0, foreign: 0, blocks: 0 }

/**
 * Whether logs are asked for by address or by topic. One rule: by address while the list fits into one query; a longer list by topic, as
 * long as the foreign logs that this brings cost less than the queries that it saves. Never by topic from a provider that requires
 * addresses.
 *
 * For a list of 100,000 tokens: 20 queries in place of 101 on a quiet chain, and still 101 on a busy one.
 */
export interface LogStrategy {
  /**
   * @param blocks that are left of the range
   * @param checks whether to measure again how busy the chain is: once per range
   */
  choose(provider: Pick<RpcProvider, 'limits' | 'addressRequired'>, filter: WantedLogs, blocks: number, checks: boolean): LogQueryChoice
  /** What a provider's limits and the chain's density allow in one query. */
  limits(provider: Pick<RpcProvider, 'limits'>, filter: WantedLogs): LimitsOfQueries
  /** @param all logs in the answer, of which `kept` are wanted */
  answered(query: LogQuery, all: number, kept: number): void
}

export function createLogStrategy(): LogStrategy {
  let byAddress = NO_DENSITY
  /** The density of logs of each filter, by the filter without its growing list. */
  const byTopic = new Map<string, Density>()

  const limitsOf: LogStrategy['limits'] = ({ limits }, filter) => {
    const { all, blocks } = byTopic.get(keyOf(filter)) ?? NO_DENSITY
    const maxByTopic = Math.min(limits.blocks.size, Math.max(FIRST_BLOCKS, blocks * TOPIC_GROWTH))
    return {
      address: { blocks: fitting(limits.blocks.size, byAddress.all), width: limits.addresses.size },
      topic: { blocks: fitting(maxByTopic, all), width: limits.addresses.size },
    }
  }

  return {
    limits: limitsOf,
    choose: (provider, filter, blocks, checks) => {
      const { address, topic } = limitsOf(provider, filter)
      const queries = partCount(filter, address.width)
      if (queries === 1 || provider.addressRequired || withoutList(filter) === null) return { by: 'address', ...address }
      const known = byTopic.get(keyOf(filter))
      if (known === undefined) return { by: 'topic', ...topic }
      const queriesByTopic = Math.ceil(blocks / fitting(provider.limits.blocks.size, known.all))
      const costByAddress = Math.ceil(blocks / address.blocks) * queries * LOGS_PER_QUERY
      if (queriesByTopic * LOGS_PER_QUERY + blocks * known.foreign < costByAddress) return { by: 'topic', ...topic }
      return checks ? { by: 'topic', ...topic, blocks: Math.min(topic.blocks, FIRST_BLOCKS) } : { by: 'address', ...address }
    },
    answered: (query, all, kept) => {
      const blocks = blocksOf(query)
      const seen = { all: all / blocks, foreign: (all - kept) / blocks, blocks }
      if (query.by === 'address') byAddress = faded(byAddress, seen)
      else byTopic.set(keyOf(query.filter), faded(byTopic.get(keyOf(query.filter)) ?? NO_DENSITY, seen))
    },
  }
}

function keyOf(filter: WantedLogs): string {
  return JSON.stringify(withoutList(filter))
}

function fitting(blocks: number, logsPerBlock: number): number {
  return logsPerBlock === 0 ? blocks : Math.max(1, Math.min(blocks, Math.ceil(LOGS_PER_ANSWER / logsPerBlock)))
}

function faded(known: Density, seen: Density): Density {
  return {
    all: Math.max(seen.all, known.all * DENSITY_KEPT),
    foreign: Math.max(seen.foreign, known.foreign * DENSITY_KEPT),
    blocks: Math.max(seen.blocks, known.blocks),
  }
}
