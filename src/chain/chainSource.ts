import type { Logger } from 'pino'
import { bytesToHex, keccak256 } from 'viem/utils'
import { mapBounded } from '#async/turns.ts'
import { type Clock, systemClock } from '#clock'
import { type Address, type Hex, parseAddress } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { BlockCalls, CallAnswer, ContractCall } from '#domain/contractCall.ts'
import { type ChainHeader, fieldsOf, HEX } from '#rpc/header.ts'
import type { RpcProvider } from '#rpc/provider.ts'
import type { Answers, Rpc } from '#rpc/rpc.ts'
import { blockWithTransactions, callAtBlock, isAboutCall, logsOfBlock, runAt, transactionAt } from '#rpc/rpcCalls.ts'
import { faultOf, faultSentence, garbled, inconsistent, missing, RpcError, type RpcFault } from '#rpc/rpcFault.ts'
import { type BlockWithLogs, blockWithLogs, fetchHeader, fetchHeaders } from './block.ts'
import { type ChainTip, createChainTips, type TipRequest } from './chainTips.ts'
import { decideByReceipts } from './logs/comparedLogs.ts'
import { smallerThanBlock } from './logs/gatherLogs.ts'
import { createLogRanges, type LogRange, type LogRangeQuery } from './logs/logRanges.ts'
import { areSameLogs, logInTakenPlace, parseLogs } from './logs/parseLogs.ts'
import { fetchProvenLogs, fetchReceipts, insteadOfQuery, logsOfReceipts, readReceiptLogs } from './logs/provenLogs.ts'

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

/** Four answers of 6,016 bytes are less than the 24,576 bytes that creation code may return (EIP-170). */
export const MAX_CALLS_PER_RUN = 4

/**
 * `ReadCalls.yul`, compiled. With calls appended it returns what each of them returns. The program itself never fails, so that a refusal
 * always is the provider's, in whatever words, and never is taken for that of a token.
 */
export const READ_CALLS: Hex =
  '0x610800607a5b388110601657506107ff1901610800f35b9060209060168360003960008080519481601661ffff8860501c16838183819601853901019660601c6207a120fa903d9161178083116071575b156066578181528160008483013e015b01906005565b600019815290506060565b6117809250605056'

const WORD = 64
const FAILED = 'f'.repeat(WORD)

/**
 * What contracts return at the end of a block, in the order of the calls: the same whenever it is asked, but for optional calls.
 *
 * @throws `RpcError` when no provider answers, or none has the state of the block and runs code that is not deployed, unless all of the
 *   calls of a run are optional
 */
export async function fetchCallAnswers(
  rpc: Pick<Rpc, 'ask' | 'askEach'>,
  block: BlockCalls,
  optional: OptionalCalls,
): Promise<readonly CallAnswer[]> {
  const answers: CallAnswer[] = []
  for (let at = 0, to = 0; at < block.calls.length; at = to) {
    const isOptional = block.calls[at]?.isOptional
    while (to < block.calls.length && to - at < MAX_CALLS_PER_RUN && block.calls[to]?.isOptional === isOptional) to++
    answers.push(...(await run(rpc, { ...block, calls: block.calls.slice(at, to) }, optional)))
  }
  return answers
}

/** How optional calls have fared with all providers. */
interface OptionalCalls {
  /** Refusals since the last answer. */
  refusals: number
}

/** A state that is gone is refused each time. The first refusals may be of a provider in trouble, and are waited for. */
const REFUSALS_BELIEVED = 3

type Outcome = readonly CallAnswer[] | RpcFault

async function run(rpc: Pick<Rpc, 'ask' | 'askEach'>, block: BlockCalls, optional: OptionalCalls): Promise<readonly CallAnswer[]> {
  const question = (provider: RpcProvider) => askProvider(provider, block)
  const first = await rpc.ask(question)
  // Nodes without the states of old blocks are none the worse for the rest.
  const answer = isAnswer(first) ? first : (await rpc.askEach(question)).find(isAnswer)
  const isOptional = block.calls.every(call => call.isOptional)
  if (isOptional) optional.refusals = answer === undefined ? optional.refusals + 1 : 0
  if (answer !== undefined) return answer
  if (isOptional && optional.refusals >= REFUSALS_BELIEVED) return block.calls.map(() => null)
  const text = `no provider runs calls on the state of block ${block.number}: ${faultSentence(first as RpcFault)}`
  throw new RpcError({ kind: 'node', code: 0, text })
}

async function askProvider(provider: RpcProvider, { calls, ...block }: BlockCalls): Promise<Outcome> {
  const answer = await callAtBlock(provider, block, runAt(block.number, `${READ_CALLS}${calls.map(encode).join('')}`))
  return answer.kind === 'refusal' ? answer.fault : parse(answer.value, calls.length)
}

function isAnswer(outcome: Outcome): outcome is readonly CallAnswer[] {
  return Array.isArray(outcome)
}

function encode({ to, data }: ContractCall): string {
  const digits = data.slice(2)
  return `${to.slice(2)}${(digits.length / 2).toString(16).padStart(4, '0')}${digits}`
}

function parse(value: unknown, count: number): readonly CallAnswer[] {
  const digits = typeof value === 'string' && HEX.bytes.test(value) ? value.slice(2).toLowerCase() : ''
  const answers: CallAnswer[] = []
  let at = 0
  for (; answers.length < count; at += WORD) {
    const word = digits.slice(at, at + WORD)
    if (word.length < WORD) throw garbled(`not the answers of ${count} calls`)
    if (word === FAILED) {
      answers.push(null)
      continue
    }
    const end = at + WORD + 2 * Number(`0x${word}`)
    answers.push(`0x${digits.slice(at + WORD, end)}`)
    at = end - WORD
  }
  if (at !== digits.length) throw garbled(`not the answers of ${count} calls`)
  return answers
}

export interface MinedTransaction {
  readonly txHash: Hex
  readonly blockHash: Hex
  /** As its logs state it. */
  readonly txIndex: number
}

type RawTransaction = Readonly<Record<string, unknown>>

/** Blocks with all their transactions, fetched at the same time: each may have megabytes. */
const BLOCKS_AT_ONCE = 4

/**
 * Who sent these transactions, in their order. They are asked for by block and index, since nodes know only the newest transactions by
 * their hash. What is not there is looked for in its whole block: on some chains indexes are no positions.
 *
 * @throws `RpcError`, `missing` when the provider lacks a transaction, `inconsistent` when it answers with another block
 */
export async function fetchSenders(provider: RpcProvider, transactions: readonly MinedTransaction[]): Promise<readonly Address[]> {
  const found = await fetchByPlace(provider, transactions)
  const blocks = new Set(transactions.flatMap(({ txHash, blockHash }) => (found.has(txHash) ? [] : [blockHash])))
  const fetched = await mapBounded([...blocks], BLOCKS_AT_ONCE, hash => fetchTransactions(provider, hash))
  for (const transaction of fetched.flat()) found.set(hashOf(transaction), transaction)
  return transactions.map(({ txHash }) => {
    const transaction = found.get(txHash)
    if (transaction === undefined) throw missing('a transaction')
    const sender = parseAddress(transaction['from'])
    if (sender === undefined) throw garbled('transaction: from')
    return sender
  })
}

/** The transactions that the provider shows at their index, by hash. */
async function fetchByPlace(provider: RpcProvider, transactions: readonly MinedTransaction[]): Promise<Map<unknown, RawTransaction>> {
  const found = new Map<unknown, RawTransaction>()
  try {
    const answers = await provider.calls(transactions.map(({ blockHash, txIndex }) => transactionAt(blockHash, txIndex)))
    for (const [index, { txHash, blockHash }] of transactions.entries()) {
      const answer = answers[index]
      if (answer === null) continue
      const transaction = fieldsOf(answer, 'transaction')
      if (hashOf(transaction) === txHash && lowerCase(transaction['blockHash']) === blockHash) found.set(txHash, transaction)
    }
  } catch (error) {
    const fault = faultOf(error)
    if (fault === null || !isAboutCall(fault)) throw error
  }
  return found
}

async function fetchTransactions(provider: RpcProvider, blockHash: Hex): Promise<readonly RawTransaction[]> {
  const raw = await provider.call(blockWithTransactions(blockHash))
  if (raw === null) throw missing('the block of a transaction')
  const { hash, transactions } = fieldsOf(raw, 'block')
  if (lowerCase(hash) !== blockHash) throw inconsistent('another block')
  if (!Array.isArray(transactions)) throw garbled('block: transactions')
  return transactions.map(transaction => fieldsOf(transaction, 'transaction'))
}

function hashOf({ hash }: RawTransaction): unknown {
  return lowerCase(hash)
}

function lowerCase(value: unknown): unknown {
  return typeof value === 'string' ? value.toLowerCase() : value
}

/**
 * The logs of followed blocks. A provider answers a new block before it has indexed all of its logs, so they have to fit the header's
 * bloom. Where blooms prove nothing, they have to be the same from a second source: another provider, or the block's receipts. One gap
 * remains: the bloom is the same when the last logs are missing and each of their addresses and topics occurs in an earlier log as well.
 * Only the receipts' root would show that.
 */
export interface BlockLogs {
  /** @throws `RpcError`, `inconsistent` when the logs can't be all of the block's */
  fetch(provider: RpcProvider, header: ChainHeader): Promise<BlockWithLogs>
  /** Whether the bloom alone shows that these are all logs of the block. They then show that blooms fit. */
  accepts(block: BlockWithLogs): boolean
  /** The sentence that names the block which has shown that blooms prove nothing; `null`: none has. */
  warning(): string | null
}

export interface BlockLogsOptions {
  readonly rpc: Pick<Rpc, 'askEach' | 'health'>
  readonly clock: Pick<Clock, 'nowMs'>
  readonly logger: Pick<Logger, 'warn'>
}

/** For this long a bloom is believed rather than logs that do not fit it: logs of a new block come late, from several providers as well. */
const DOUBTED_MS = 30_000
const MAX_DOUBTED = 256

function createBlockLogs({ rpc, clock, logger }: BlockLogsOptions): BlockLogs {
  /** What blooms of proven and of unproven headers have been seen to do. Only those of proven ones are what the chain has agreed on. */
  const seen = { proven: new Set<BloomFit>(), unproven: new Set<BloomFit>() }
  /** Since when each block has been shown with the same logs that do not fit its bloom. */
  const doubted = new Map<Hex, number>()
  let misfit: string | null = null

  const seenOf = ({ isProven }: ChainHeader) => seen[isProven ? 'proven' : 'unproven']

  const note = ({ header, logs }: BlockWithLogs, fit: BloomFit): void => {
    doubted.delete(header.hash)
    if (fit !== 'fits' && misfit === null) {
      misfit = `the bloom of block ${header.number} does not fit its logs, so logs of followed blocks are taken from two sources`
      logger.warn({ block: header.number, fit }, misfit)
    }
    if (fit !== 'fits' || logs.length > 0) seenOf(header).add(fit)
  }

  const accepts = (block: BlockWithLogs): boolean => {
    const { header, logs } = block
    const known = seenOf(header)
    if (logInTakenPlace(logs) !== undefined) return false
    // Where blooms have lacked logs, a bloom that fits may lack those that are missing.
    if (known.has('lacks') || bloomFit(header.logsBloom, logs) !== 'fits') return false
    if (logs.length === 0) return known.has('fits')
    note(block, 'fits')
    return true
  }

  /** Whether the same logs were shown for long enough, though the bloom does not fit them. */
  const isShownForLong = ({ hash }: ChainHeader): boolean => {
    const sinceMs = doubted.get(hash) ?? clock.nowMs()
    doubted.set(hash, sinceMs)
    const [oldest] = doubted.keys()
    if (doubted.size > MAX_DOUBTED && oldest !== undefined) doubted.delete(oldest)
    return clock.nowMs() - sinceMs >= DOUBTED_MS
  }

  const isSame = ({ header, logs }: BlockWithLogs, others: readonly (readonly ChainLog[])[]): boolean => {
    if (others.every(other => areSameLogs(blockWithLogs(header, other).logs, logs))) return true
    doubted.delete(header.hash)
    return false
  }

  /** The logs of the other providers that answer. */
  const askOthers = async (asked: RpcProvider, header: ChainHeader): Promise<readonly (readonly ChainLog[])[]> => {
    if (rpc.health().length === 1) return []
    const shown = await rpc.askEach(async provider => (provider.name === asked.name ? null : fetchBlockLogs(provider, header)))
    return shown.filter(logs => logs !== null)
  }

  /** Missing logs leave bits of a bloom unused. So a bloom that lacks logs is wrong; one that exceeds them may be right. */
  const fromSecondSource = async (provider: RpcProvider, block: BlockWithLogs): Promise<BlockWithLogs> => {
    const { header, logs } = block
    const fit = bloomFit(header.logsBloom, logs)
    const isNew = fit !== 'fits' && !seenOf(header).has(fit)
    const others = await askOthers(provider, header)
    if (!isSame(block, others)) return blockWithLogs(header, await decideByReceipts(rpc, header))
    let sources = 1 + others.length
    if (sources === 1 || (isNew && fit === 'exceeds')) {
      const receipts = await readReceiptLogs(provider, header, isNew || logs.length === 0)
      if (receipts?.isProven === true) return areSameLogs(receipts.logs, logs) ? block : { header, logs: receipts.logs }
      if (!isSame(block, [receipts?.logs ?? (await fetchBlockLogs(provider, header))]))
        throw inconsistent(`two answers to the logs of block ${header.number}`)
      if (receipts !== null) sources++
    }
    if (!isNew) return block
    const isSure = fit === 'lacks' ? sources > 1 || isShownForLong(header) : sources > 1 && isShownForLong(header)
    if (isSure) return block
    throw inconsistent(`the logs of block ${header.number} do not fit its bloom`)
  }

  return {
    fetch: async (provider, header) => {
      const first = blockWithLogs(header, await fetchBlockLogs(provider, header))
      if (accepts(first)) return first
      const block = await fromSecondSource(provider, first)
      note(block, bloomFit(block.header.logsBloom, block.logs))
      return block
    },
    accepts,
    warning: () => misfit,
  }
}

async function fetchBlockLogs(provider: RpcProvider, { hash }: ChainHeader): Promise<readonly ChainLog[]> {
  try {
    return parseLogs(await provider.call(logsOfBlock(hash), { smaller: smallerThanBlock(hash) }), hash)
  } catch (error) {
    if (faultOf(error)?.kind === 'too-large') return logsOfReceipts(await fetchReceipts(provider, hash))
    return logsOfReceipts(await insteadOfQuery(error, () => fetchReceipts(provider, hash)))
  }
}

const BLOOM_BYTES = 256

/**
 * How a header's bloom and some logs go together. `lacks`: the bloom does not hold all of the logs. `exceeds`: it holds them and more, so
 * logs may be missing.
 */
type BloomFit = 'fits' | 'lacks' | 'exceeds'

/** @param bloom `null`: the header has none */
function bloomFit(bloom: Hex | null, logs: readonly Pick<ChainLog, 'address' | 'topics'>[]): BloomFit {
  if (bloom === null) return 'lacks'
  const held = logsBloom(logs)
  if (held === bloom) return 'fits'
  return (BigInt(held) & ~BigInt(bloom)) === 0n ? 'exceeds' : 'lacks'
}

/**
 * The 2048-bit bloom filter of a block's logs, as its header has it: three bits for each address and topic of a log.
 * Source: the Yellow Paper, section 4.4.1 (M3:2048). Costs one keccak-256 per address and topic that is not cached.
 */
export function logsBloom(logs: readonly Pick<ChainLog, 'address' | 'topics'>[]): Hex {
  const items = new Set<Hex>()
  for (const log of logs) {
    items.add(log.address)
    for (const topic of log.topics) items.add(topic)
  }
  const bloom = new Uint8Array(BLOOM_BYTES)
  for (const item of items) {
    for (const bit of bitsOf(item)) {
      const index = BLOOM_BYTES - 1 - (bit >> 3)
      bloom[index] = (bloom[index] ?? 0) | (1 << (bit & 7))
    }
  }
  return bytesToHex(bloom)
}

/** The bits of the last addresses and topics: the next block holds many of them again. */
const knownBits = new Map<Hex, readonly number[]>()
const MAX_KNOWN = 20_000

function bitsOf(item: Hex): readonly number[] {
  const known = knownBits.get(item)
  if (known !== undefined) return known
  const hash = keccak256(item, 'bytes')
  const bits = [0, 2, 4].map(at => (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2_047)
  if (knownBits.size >= MAX_KNOWN) knownBits.clear()
  knownBits.set(item, bits)
  return bits
}
