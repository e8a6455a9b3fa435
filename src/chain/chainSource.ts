import type { Logger } from 'pino'
import { mapBounded } from '#async/mapBounded.ts'
import { type Clock, systemClock } from '#clock'
import type { Address, Hex } from '#domain/address.ts'
import type { BlockCalls, CallAnswer } from '#domain/contractCall.ts'
import type { ChainHeader } from '#rpc/header.ts'
import type { Answers, Rpc } from '#rpc/rpc.ts'
import { type BlockWithLogs, blockWithLogs, fetchHeader, fetchHeaders } from './block.ts'
import { type ChainTip, createChainTips, type TipRequest } from './chainTips.ts'
import { fetchCallAnswers } from './fetchCallAnswers.ts'
import { fetchSenders, type MinedTransaction } from './fetchSenders.ts'
import { createBlockLogs } from './logs/blockLogs.ts'
import { createLogRanges, type LogRange, type LogRangeQuery } from './logs/logRanges.ts'
import { fetchProvenLogs } from './logs/provenLogs.ts'

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
   * A block with all of its logs, fetched by its hash and checked as `BlockLogs` does.
   *
   * @param known the block's header, when a tip has shown it
   */
  blockWithLogs(number: number, known?: ChainHeader): Promise<BlockWithLogs>
  /** Who sent each transaction, by its hash. */
  senders(transactions: readonly MinedTransaction[]): Promise<ReadonlyMap<Hex, Address>>
  /** What of the chain's newest blocks can not be verified: sentences without a provider's words. */
  warnings(): readonly string[]
  /** What the calls return, by block hash. */
  answers(blocks: readonly BlockCalls[]): Promise<ReadonlyMap<Hex, readonly CallAnswer[]>>
  /** Logs of some addresses in a range, in as many queries as the providers' limits ask for. */
  logsInRange(query: LogRangeQuery): Promise<LogRange>
}

/** Headers or transactions asked for in one question: bounds the size of an answer, not of a range. */
const CALLS_PER_QUESTION = 100
const QUESTIONS_AT_ONCE = 4
const LOG_QUERIES_AT_ONCE = 4
/** The newest block waits for the answer. */
const URGENT = { isUrgent: true }

const SILENT: Pick<Logger, 'warn'> = { warn: () => undefined }

export interface ChainSourceOptions {
  readonly rpc: Pick<Rpc, 'ask' | 'askEach' | 'second' | 'preferred' | 'headers' | 'health'>
  /** Default: real time. */
  readonly clock?: Pick<Clock, 'nowMs' | 'sleep'>
  /** Default: nothing is logged. */
  readonly logger?: Pick<Logger, 'warn'>
  /**
   * Whether logs are believed only when the receipts of their block prove them. Default false: they only have to fit the header's bloom.
   */
  readonly provesLogs?: boolean
}

export function createChainSource({ rpc, clock = systemClock, logger = SILENT, provesLogs = false }: ChainSourceOptions): ChainSource {
  const logRanges = createLogRanges({ rpc, clock, logger, concurrency: LOG_QUERIES_AT_ONCE, provesLogs })
  const tips = createChainTips()
  const blockLogs = createBlockLogs({ rpc, clock, logger })

  const optional = { refusals: 0 }
  return {
    tip: request => {
      // The tip's logs are of no use where the bloom alone does not show that they are all.
      const next = provesLogs || blockLogs.warning() !== null ? null : request.next
      return rpc.ask(async provider => {
        const tip = await tips.fetch(provider, { ...request, next })
        if (tip.block === null) return tip
        await rpc.headers.assertAgreed([tip.block.header])
        return blockLogs.accepts(tip.block) ? tip : { ...tip, block: null }
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
          await rpc.headers.assertAgreed(headers)
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
        await rpc.headers.assertAgreed([header])
        return provesLogs ? blockWithLogs(header, await fetchProvenLogs(provider, header)) : blockLogs.fetch(provider, header)
      }, URGENT)
    },
    senders: async transactions => {
      const parts = await mapBounded(chunks(transactions), QUESTIONS_AT_ONCE, part =>
        rpc.ask(provider => fetchSenders(provider, part), URGENT),
      )
      const senders = parts.flat()
      return new Map(transactions.map(({ txHash }, index) => [txHash, senders[index] as Address]))
    },
    warnings: () => [rpc.headers.warning(), blockLogs.warning()].filter(warning => warning !== null),
    answers: async blocks => {
      const answers = await mapBounded(blocks, QUESTIONS_AT_ONCE, block => fetchCallAnswers(rpc, block, optional))
      return new Map(blocks.map(({ hash }, index) => [hash, answers[index] ?? []]))
    },
    logsInRange: query => logRanges.fetch(query),
  }
}

function chunks<T>(list: readonly T[]): readonly (readonly T[])[] {
  const parts: (readonly T[])[] = []
  for (let at = 0; at < list.length; at += CALLS_PER_QUESTION) parts.push(list.slice(at, at + CALLS_PER_QUESTION))
  return parts
}
