import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Hex, numberToHex } from 'viem'
import { logsBloom } from '#chain/chainSource.ts'
import { encodeReceipt, trieRoot } from '#chain/logs/provenLogs.ts'
import { headerHash } from '#rpc/header.ts'
import { type NewLog, testAddress } from '#test/support/simulatedChain.ts'
import { logsOf, type MarketEvent, marketEvents } from './market.ts'

/**
 * How a chain's headers and logs are.
 * `bare`: as the public suite's: hashes prove nothing, all blooms are empty, replaced blocks are unknown by hash.
 * `honest`: as geth's: hashes are of the header's fields, which hold the receipts' root, blooms fit, replaced blocks stay known.
 * `odd`: hashes prove nothing, blooms are of other logs, log and transaction indexes begin late and have gaps.
 */
export type ChainKind = 'bare' | 'honest' | 'odd'

export interface Block {
  readonly number: number
  readonly hash: Hex
  readonly parentHash: Hex
  /** Each with the index of its own log. */
  readonly events: readonly { readonly event: MarketEvent; readonly logIndex: number; readonly txHash: Hex }[]
  /** As nodes answer them. */
  readonly logs: readonly RawLog[]
  readonly header: Readonly<Record<string, unknown>>
  /** When it became the head: `performance.now()`. */
  readonly publishedAtMs: number
}

export interface RawLog {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  readonly blockNumber: Hex
  readonly blockHash: Hex
  readonly transactionHash: Hex
  readonly transactionIndex: Hex
  readonly logIndex: Hex
  readonly removed: false
}

/** What happens in a block of that number on that branch. */
export type Contents = (number: number, branch: number) => readonly MarketEvent[]

export interface ChainOptions {
  readonly kind: ChainKind
  readonly chainId?: number
  /** The index of each block's first log. Default: 0, and 7 on an `odd` chain. */
  readonly firstLogIndex?: number
  /** Default: two trades, and a launch in every 25th block. */
  readonly contents?: Contents
}

/** Blocks that are made without a pause. */
const PART = 50
const GENESIS_TIME = 1_700_000_000
export const BLOCK_SECONDS = 2
const GAPS = { bare: 1, honest: 1, odd: 3 }

/** What all receipts have in common. */
export const RECEIPT = { cumulativeGasUsed: '0x5208', status: '0x1', type: '0x2' } as const

const withAll = ({ address, topics = [], data = '0x' }: NewLog) => ({ address, topics, data })

export const TWO_TRADES: Contents = (number, branch) => marketEvents(number, branch, 2)
export const NOTHING: Contents = () => []

/** A chain in memory that grows and is replaced on request. Every block follows from its number, its branch and its contents. */
export class GeneratedChain {
  readonly kind: ChainKind
  readonly chainId: number
  readonly #options: ChainOptions
  readonly #blocks: Block[] = []
  readonly #known = new Map<string, Block>()
  readonly #listeners = new Set<() => void>()
  #branch = 0

  constructor(options: ChainOptions) {
    this.#options = options
    this.kind = options.kind
    this.chainId = options.chainId ?? 8_453
    this.#append(NOTHING)
  }

  get blocks(): readonly Block[] {
    return this.#blocks
  }

  get head(): Block {
    return this.#blocks.at(-1) as Block
  }

  /** All blocks that were ever the head, replaced ones too. */
  everyBlock(): readonly Block[] {
    return [...this.#known.values()]
  }

  /** A replaced block is found on an honest chain only, as nodes keep it. */
  byHash(hash: unknown): Block | undefined {
    const block = this.#known.get(String(hash))
    return block === undefined || (this.kind !== 'honest' && this.#blocks[block.number] !== block) ? undefined : block
  }

  grow(blocks: number, contents: Contents = this.#options.contents ?? TWO_TRADES): void {
    for (let count = 0; count < blocks; count++) this.#append(contents)
    this.#announce()
  }

  /** As `grow`, in parts, since the nodes of other scenarios answer in the same thread. */
  async growFar(blocks: number): Promise<void> {
    for (let left = blocks; left > 0; left -= PART) {
      this.grow(Math.min(PART, left))
      await nextTurn()
    }
  }

  /** Replaces the newest `depth` blocks by `by` others. */
  replace(depth: number, by: number = depth, contents: Contents = this.#options.contents ?? TWO_TRADES): void {
    this.#branch++
    this.#blocks.length -= depth
    this.grow(by, contents)
  }

  /** Calls back when there is another head. */
  onHead(listener: () => void): void {
    this.#listeners.add(listener)
  }

  #announce(): void {
    for (const listener of this.#listeners) listener()
  }

  #append(contents: Contents): void {
    const number = this.#blocks.length
    const branch = this.#branch
    const gap = GAPS[this.kind]
    const first = this.#options.firstLogIndex ?? (this.kind === 'odd' ? 7 : 0)
    const events = contents(number, branch)
    const parentHash = this.#blocks.at(-1)?.hash ?? digest('parent of the first block')
    const newLogs = events.map(logsOf)
    const bloom = this.#bloom(number, newLogs.flat())
    const fields = headerFields(number, branch, parentHash, bloom, this.#receiptsRoot(number, branch, bloom, newLogs))
    const hash = this.kind === 'honest' ? (headerHash(fields) as Hex) : digest('block', number, branch)

    let index = 0
    const logs: RawLog[] = []
    const placed = events.map((event, at) => {
      const transactionHash = digest('transaction', hash, at)
      for (const log of newLogs[at] ?? []) {
        const place = { transactionIndex: numberToHex(at * gap), logIndex: numberToHex(first + index++ * gap) }
        const of = { blockNumber: numberToHex(number), blockHash: hash, transactionHash }
        logs.push({ ...withAll(log), ...of, ...place, removed: false })
      }
      return { event, logIndex: Number(logs.at(-1)?.logIndex), txHash: transactionHash }
    })
    const transactions = placed.map(({ txHash }) => txHash)
    const header = { ...fields, hash, size: '0x400', totalDifficulty: '0x0', uncles: [], transactions }
    const block: Block = { number, hash, parentHash, events: placed, logs, header, publishedAtMs: performance.now() }
    this.#blocks.push(block)
    this.#known.set(hash, block)
  }

  #receiptsRoot(number: number, branch: number, bloom: Hex, newLogs: readonly (readonly NewLog[])[]): Hex {
    if (this.kind !== 'honest') return digest('receipts', number, branch)
    return trieRoot(newLogs.map(logs => encodeReceipt({ ...RECEIPT, logsBloom: bloom, logs: logs.map(withAll) })))
  }

  #bloom(number: number, logs: readonly NewLog[]): Hex {
    if (this.kind === 'bare') return logsBloom([])
    const shown = this.kind === 'honest' ? logs : [{ address: testAddress(number) }]
    return logsBloom(shown.map(({ address, topics = [] }) => ({ address, topics })))
  }
}

function headerFields(number: number, branch: number, parentHash: Hex, bloom: Hex, receiptsRoot: Hex) {
  return {
    number: numberToHex(number),
    parentHash,
    timestamp: numberToHex(GENESIS_TIME + number * BLOCK_SECONDS),
    logsBloom: bloom,
    sha3Uncles: digest('uncles'),
    miner: digest('miner').slice(0, 42),
    stateRoot: digest('state', number, branch),
    transactionsRoot: digest('transactions', number, branch),
    receiptsRoot,
    difficulty: '0x0',
    gasLimit: '0x1c9c380',
    gasUsed: '0x5208',
    extraData: '0x',
    mixHash: digest('mix'),
    nonce: '0x0000000000000000',
    baseFeePerGas: '0x7',
  } as const
}

function digest(...parts: readonly (string | number)[]): Hex {
  return `0x${createHash('sha256').update(parts.join(':')).digest('hex')}`
}
