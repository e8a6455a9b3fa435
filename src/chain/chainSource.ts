import { mapBounded } from '#async/mapBounded.ts'
import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { ChainHeader } from '#rpc/header.ts'
import type { Answers, Rpc, RpcProvider } from '#rpc/rpc.ts'
import { logsOfBlock } from '#rpc/rpcCalls.ts'
import { faultOf } from '#rpc/rpcFault.ts'
import { type BlockWithLogs, blockWithLogs, fetchHeader, fetchHeaders } from './block.ts'
import { type ChainTip, createChainTips, type TipRequest } from './chainTips.ts'
import { createLogRanges, type LogRange, type LogRangeQuery } from './logs/logRanges.ts'
import { EMPTY_BLOOM } from './logs/logsBloom.ts'
import { parseLogs } from './logs/parseLogs.ts'
import { fetchProvenLogs } from './logs/provenLogs.ts'
import { fetchBlockReceipts, logsOfReceipts } from './logs/receipts.ts'
import { smallerThanBlock } from './logs/smallerQueries.ts'
import { fetchSenders, type MinedTransaction } from './transactionSenders.ts'

/** Blocks and logs of the canonical chain, checked against each other. A contradictory answer is dropped, and another provider is asked. */
export interface ChainSource {
  /** @throws `RpcError` */
  tip(request: TipRequest): Promise<ChainTip>
  /** @throws `RpcError`, with the fault `missing` when no provider has the block */
  header(number: number): Promise<ChainHeader>
  /** The headers in the order of `numbers`. They may come from several providers, so the caller has to check them against a known hash. */
  headers(numbers: readonly number[]): Promise<readonly ChainHeader[]>
  /**
   * The header as each healthy provider shows it, for a decision that must not rest on a single provider. Providers without the block are
   * left out.
   *
   * @throws `RpcError` when no provider has it
   */
  headerOfEach(number: number): Promise<Answers<ChainHeader>>
  /**
   * A block with all of its logs, fetched by its hash and checked against the header's bloom.
   *
   * @param known the block's header, when a tip has shown it
   */
  blockWithLogs(number: number, known?: ChainHeader): Promise<BlockWithLogs>
  /** Who sent each transaction, by its hash. */
  senders(transactions: readonly MinedTransaction[]): Promise<ReadonlyMap<Hex, Address>>
  /** What of the chain's newest blocks can not be verified, in own words. */
  warnings(): readonly string[]
  /** Logs of some addresses in a range, in as many queries as the providers' limits ask for. */
  logsInRange(query: LogRangeQuery): Promise<LogRange>
}

/** Headers or transactions asked for in one question: bounds the size of an answer, not of a range. */
const CALLS_PER_QUESTION = 100
const QUESTIONS_AT_ONCE = 4
const LOG_QUERIES_AT_ONCE = 4
/** The newest block waits for the answer. */
const URGENT = { isUrgent: true }

export interface ChainSourceOptions {
  readonly rpc: Pick<Rpc, 'ask' | 'askEach' | 'preferred' | 'headers'>
  /**
   * Whether logs are believed only when the receipts of their block prove them. Default false: they only have to fit the header's bloom.
   */
  readonly provesLogs?: boolean
}

export function createChainSource({ rpc, provesLogs = false }: ChainSourceOptions): ChainSource {
  const logRanges = createLogRanges({ rpc, concurrency: LOG_QUERIES_AT_ONCE, provesLogs })
  const tips = createChainTips()
  /**
   * Whether any block with logs has had a bloom that fits. Until then an empty bloom proves nothing: a chain may leave all blooms empty.
   */
  let hasSeenBloom = false

  return {
    tip: request => {
      // With `provesLogs` the tip's logs are of no use, since they come without a proof.
      const { next } = request
      return rpc.ask(async provider => {
        const tip = await tips.fetch(provider, { ...request, next: provesLogs ? null : next })
        if (tip.block !== null) await rpc.headers.agree([tip.block.header])
        return tip
      }, URGENT)
    },
    header: async number => {
      const header = await rpc.ask(provider => fetchHeader(provider, number), URGENT)
      tips.compare(header)
      return header
    },
    headers: async numbers => {
      const answers = await mapBounded(chunks(numbers), QUESTIONS_AT_ONCE, part =>
        rpc.ask(async provider => {
          const headers = await fetchHeaders(provider, part)
          await rpc.headers.agree(headers)
          return headers
        }, URGENT),
      )
      const found = answers.flat()
      for (const header of found) tips.compare(header)
      return found
    },
    headerOfEach: number => {
      // The caller has found a contradiction to the index: the kept tip may be wrong.
      tips.forget()
      return rpc.askEach(provider => fetchHeader(provider, number))
    },
    blockWithLogs: async (number, known) => {
      let shown = known
      return rpc.ask(async provider => {
        const header = shown ?? (await fetchHeader(provider, number))
        // Only for the first attempt: if it fails, the block may have been replaced meanwhile.
        shown = undefined
        if (hasSeenBloom && header.logsBloom === EMPTY_BLOOM) return { header, logs: [] }
        const fetched = blockWithLogs(header, await (provesLogs ? fetchProvenLogs : fetchBlockLogs)(provider, header))
        hasSeenBloom ||= fetched.logs.length > 0
        await rpc.headers.agree([header])
        return fetched
      }, URGENT)
    },
    senders: async transactions => {
      const parts = await mapBounded(chunks(transactions), QUESTIONS_AT_ONCE, part =>
        rpc.ask(provider => fetchSenders(provider, part), URGENT),
      )
      const senders = parts.flat()
      return new Map(transactions.map(({ txHash }, index) => [txHash, senders[index] as Address]))
    },
    warnings: () => [rpc.headers.warning()].filter(warning => warning !== null),
    logsInRange: query => logRanges.fetch(query),
  }
}

function chunks<T>(list: readonly T[]): readonly (readonly T[])[] {
  const parts: (readonly T[])[] = []
  for (let at = 0; at < list.length; at += CALLS_PER_QUESTION) parts.push(list.slice(at, at + CALLS_PER_QUESTION))
  return parts
}

async function fetchBlockLogs(provider: RpcProvider, { hash }: ChainHeader): Promise<readonly ChainLog[]> {
  try {
    return parseLogs(await provider.call(logsOfBlock(hash), { smaller: smallerThanBlock(hash) }))
  } catch (error) {
    if (faultOf(error)?.kind !== 'too-large') throw error
    return logsOfReceipts(await fetchBlockReceipts(provider, hash))
  }
}
