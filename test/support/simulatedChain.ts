import { createHash } from 'node:crypto'
import { keccak256, numberToHex, toHex } from 'viem'
import { logsBloom } from '#chain/chainSource.ts'
import { type Address, type Hex, toAddress } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { type ChainHeader, headerHash } from '#rpc/header.ts'

/** A log to be mined. */
export interface NewLog {
  readonly address: Address
  readonly topics?: readonly Hex[]
  readonly data?: Hex
  /** Consecutive logs with the same number belong to one transaction. Default: each to its own. */
  readonly tx?: number
}

export interface SimulatedBlock {
  readonly header: ChainHeader
  readonly logs: readonly ChainLog[]
}

/** An error answer of a node. */
export class NodeFailure extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** A chain in memory that answers JSON-RPC as a node does, and forks on request. */
export interface SimulatedChain {
  /** @param seconds the time since the previous block; default `blockSeconds` */
  mine(logs?: readonly NewLog[], seconds?: number): SimulatedBlock
  /** Drops the newest blocks. */
  drop(depth: number): void
  /** Adopts another chain's next block. */
  adopt(block: SimulatedBlock): void
  head(): SimulatedBlock
  at(number: number): SimulatedBlock
  /** The dropped blocks of that number. */
  dropped(number: number): readonly SimulatedBlock[]
  /** Every log of the canonical chain, in order. */
  logs(): readonly ChainLog[]
  /** @throws `NodeFailure` */
  answer(method: string, params: readonly unknown[]): unknown
}

export interface SimulatedChainOptions {
  readonly chainId?: number
  readonly blockSeconds?: number
  readonly genesisTimestamp?: number
  /** Whether its headers show all fields of their hashes, as Ethereum's do. Default true. */
  readonly provesHeaders?: boolean
  /** The index of a log, or of a transaction, in its block, by its position. Default: the position. */
  readonly indexOf?: (position: number) => number
  /** The bloom in a header, which its hash covers, by the one that holds the block's logs. Default: the same. */
  readonly bloomOf?: (bloom: Hex, block: number) => Hex
}

/** Headers as a node answers them, with every field of their hashes. */
const rawHeaders = new WeakMap<ChainHeader, Readonly<Record<string, Hex>>>()
const BASE_FEE_WEI = 7n
const CONSTANT_FIELDS = {
  sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
  miner: '0x4200000000000000000000000000000000000011',
  stateRoot: `0x${'5a'.repeat(32)}`,
  receiptsRoot: `0x${'7e'.repeat(32)}`,
  difficulty: '0x0',
  gasLimit: '0x1c9c380',
  gasUsed: '0x5208',
  extraData: '0x',
  mixHash: `0x${'00'.repeat(32)}`,
  nonce: '0x0000000000000000',
} as const

export function createSimulatedChain({
  chainId = 1,
  blockSeconds = 2,
  genesisTimestamp = 1_700_000_000,
  provesHeaders = true,
  indexOf = position => position,
  bloomOf = bloom => bloom,
}: SimulatedChainOptions = {}): SimulatedChain {
  let blocks: SimulatedBlock[] = []
  /** Blocks of dropped forks remain available by hash, as in a real node. */
  const byHash = new Map<Hex, SimulatedBlock>()
  /** Part of every hash: a fork's blocks differ from those that it replaces, but chains with equal histories have equal hashes. */
  let forks = 0

  const mine = (newLogs: readonly NewLog[] = [], seconds = blockSeconds): SimulatedBlock => {
    const number = blocks.length
    const parentHash = blocks.at(-1)?.header.hash ?? `0x${'00'.repeat(32)}`
    const timestamp = (blocks.at(-1)?.header.timestamp ?? genesisTimestamp - seconds) + seconds
    const bloom = bloomOf(logsBloom(newLogs.map(({ address, topics = [] }) => ({ address, topics }))), number)
    // SHA-256 is native: a block can have 50 MB, and its hash need not be keccak-256.
    const contents: Hex = `0x${createHash('sha256')
      .update(`${forks}:${JSON.stringify(newLogs)}`)
      .digest('hex')}`
    const fields = { ...CONSTANT_FIELDS, parentHash, number: numberToHex(number), timestamp: numberToHex(timestamp), logsBloom: bloom }
    const unhashed = { ...fields, transactionsRoot: contents, baseFeePerGas: numberToHex(BASE_FEE_WEI) }
    const hash = headerHash(unhashed) ?? '0x'
    let txIndex = 0
    let txHash: Hex = '0x'
    const logs = newLogs.map(({ address, topics = [], data = '0x', tx }, position): ChainLog => {
      if (position === 0 || tx === undefined || tx !== newLogs[position - 1]?.tx) {
        txIndex = indexOf(position)
        txHash = keccak256(toHex(`${hash}:${position}`))
      }
      return { address, topics, data, blockNumber: number, blockHash: hash, txHash, txIndex, logIndex: indexOf(position) }
    })
    const header: ChainHeader = {
      number,
      hash,
      parentHash,
      timestamp,
      logsBloom: bloom,
      receiptsRoot: fields.receiptsRoot,
      baseFeeWei: BASE_FEE_WEI,
      isProven: provesHeaders,
      unknownFields: [],
    }
    const block = { header, logs }
    const { stateRoot, ...others } = unhashed
    rawHeaders.set(header, { ...others, ...(provesHeaders && { stateRoot }), hash })
    blocks.push(block)
    byHash.set(hash, block)
    return block
  }

  const at = (number: number): SimulatedBlock => {
    const block = blocks[number]
    if (block === undefined) throw new RangeError(`no block ${number}`)
    return block
  }
  const head = () => at(blocks.length - 1)

  const blockByTag = (tag: unknown): SimulatedBlock | undefined => {
    if (tag === 'latest') return head()
    if (tag === 'safe') return blocks[Math.max(0, blocks.length - 1 - 4)]
    if (tag === 'finalized') return blocks[Math.max(0, blocks.length - 1 - 8)]
    return blocks[Number(tag)]
  }

  const getLogs = (filter: Readonly<Record<string, unknown>>): unknown => {
    const hash = filter['blockHash']
    const addresses = filter['address'] === undefined ? null : new Set([filter['address']].flat() as Address[])
    const topics = (filter['topics'] ?? []) as readonly (readonly Hex[] | null)[]
    const fits = (log: ChainLog) => topics.every((some, index) => some === null || some.includes(log.topics[index] ?? '0x'))
    const wanted = (log: ChainLog) => (addresses === null || addresses.has(log.address)) && fits(log)
    if (typeof hash === 'string') {
      const block = byHash.get(hash as Hex)
      if (block === undefined) throw new NodeFailure(-32000, 'unknown block')
      return block.logs.filter(wanted).map(rawLog)
    }
    const from = Number(filter['fromBlock'])
    const to = Number(filter['toBlock'])
    return blocks.slice(from, to + 1).flatMap(({ logs }) => logs.filter(wanted).map(rawLog))
  }

  mine()
  return {
    mine,
    drop: depth => {
      blocks = blocks.slice(0, blocks.length - depth)
      forks++
    },
    adopt: block => {
      blocks.push(block)
      byHash.set(block.header.hash, block)
    },
    head,
    at,
    dropped: number => [...byHash.values()].filter(block => block.header.number === number && blocks[number] !== block),
    logs: () => blocks.flatMap(({ logs }) => logs),
    answer: (method, params) => {
      switch (method) {
        case 'eth_chainId':
          return numberToHex(chainId)
        case 'eth_getBlockByNumber': {
          const block = blockByTag(params[0])
          return block === undefined ? null : rawBlock(block)
        }
        case 'eth_getBlockByHash': {
          const block = byHash.get(params[0] as Hex)
          return block === undefined ? null : rawBlock(block)
        }
        case 'eth_getTransactionReceipt': {
          // Of a block that is still on the chain, as nodes keep them.
          const block = blocks.find(({ logs }) => logs.some(({ txHash }) => txHash === params[0]))
          if (block === undefined) return null
          return { blockHash: block.header.hash, logs: block.logs.filter(({ txHash }) => txHash === params[0]).map(rawLog) }
        }
        case 'eth_getLogs':
          return getLogs(params[0] as Readonly<Record<string, unknown>>)
        default:
          throw new NodeFailure(-32601, `the method ${method} does not exist/is not available`)
      }
    },
  }
}

function rawBlock({ header, logs }: SimulatedBlock): unknown {
  return { ...rawHeaders.get(header), transactions: [...new Set(logs.map(({ txHash }) => txHash))] }
}

/** As `eth_getLogs` returns it. */
export function rawLog(log: ChainLog) {
  return {
    address: log.address,
    topics: log.topics,
    data: log.data,
    blockNumber: numberToHex(log.blockNumber),
    blockHash: log.blockHash,
    transactionHash: log.txHash,
    transactionIndex: numberToHex(log.txIndex),
    logIndex: numberToHex(log.logIndex),
    removed: false,
  }
}

/** The nth address of a test. */
export function testAddress(index: number): Address {
  return toAddress(numberToHex(0x1000_0000_0000 + index, { size: 20 }))
}

/** Addresses of a test by their numbers. */
export function testAddresses<const Numbers extends readonly number[]>(numbers: Numbers): { readonly [Index in keyof Numbers]: Address } {
  return numbers.map(testAddress) as unknown as { readonly [Index in keyof Numbers]: Address }
}
