import type { Logger } from 'pino'
import { bytesToHex, keccak256 } from 'viem/utils'
import { type BlockWithLogs, blockWithLogs } from '#chain/block.ts'
import type { Clock } from '#clock'
import type { Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { ChainHeader } from '#rpc/header.ts'
import type { RpcProvider } from '#rpc/provider.ts'
import type { Rpc } from '#rpc/rpc.ts'
import { logsOfBlock } from '#rpc/rpcCalls.ts'
import { faultOf, inconsistent } from '#rpc/rpcFault.ts'
import { decideByReceipts } from './comparedLogs.ts'
import { smallerThanBlock } from './gatherLogs.ts'
import { areSameLogs, logInTakenPlace, parseLogs } from './parseLogs.ts'
import { fetchReceipts, insteadOfQuery, logsOfReceipts, readReceiptLogs } from './provenLogs.ts'

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

export function createBlockLogs({ rpc, clock, logger }: BlockLogsOptions): BlockLogs {
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
