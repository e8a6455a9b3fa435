import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { numberToHex } from 'viem'
import type { Address, Hex } from '#domain/address.ts'
import { HOLDER_CODES } from '#jobs/holders/fetchHolderCodes.ts'
import { type GrowthBlock, tradeBlock } from './chainLogs.ts'
import { CHAIN_ID } from './loadTables.ts'
import type { GrowthScale } from './scale.ts'
import type { TokenPlan } from './tokenPlan.ts'

export interface GrowthRpcOptions {
  readonly scale: GrowthScale
  /** The newest block in the database. */
  readonly from: number
  readonly tokens: readonly TokenPlan[]
  readonly tradesPerBlock: number
  /** The time between added blocks. */
  readonly everyMs: number
}

export interface GrowthRpc {
  readonly url: string
  stopBlocks(): void
}

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

const ADDRESS_DIGITS = 40
/** Making a block takes milliseconds, and it is asked for several times. */
const KEPT_BLOCKS = 256

/**
 * The service's provider until the process ends: the chain of the history, which continues to grow, and an ETH price.
 *
 * @returns its address, and what ends the growth
 */
export async function startGrowthRpc({ scale, from, tokens, tradesPerBlock, everyMs }: GrowthRpcOptions): Promise<GrowthRpc> {
  let head = from
  const growing = setInterval(() => head++, everyMs)
  const made = new Map<number, GrowthBlock>()
  const blockAt = (number: number): GrowthBlock => {
    const block = made.get(number) ?? tradeBlock(scale, number, tokens, number > from ? tradesPerBlock : 0)
    made.set(number, block)
    made.delete(number - KEPT_BLOCKS)
    return block
  }
  const numberOf = (tag: unknown) => (tag === 'latest' ? head : tag === 'safe' || tag === 'finalized' ? head - 20 : Number(tag))
  const newest = new Map<Hex, number>()

  const answer = ({ method, params }: Call): unknown => {
    switch (method) {
      case 'eth_chainId':
        return numberToHex(CHAIN_ID)
      case 'eth_getCode':
        return '0x60'
      case 'eth_getBlockByNumber': {
        const number = numberOf(params[0])
        if (number > head) return null
        const block = blockAt(number)
        newest.set(block.header.hash, number)
        return rawHeader(block)
      }
      case 'eth_getLogs': {
        const filter = params[0] as { blockHash?: Hex; fromBlock?: string; toBlock?: string; address?: Address | Address[] }
        const addresses = filter.address === undefined ? null : new Set([filter.address].flat())
        const [first, last] =
          filter.blockHash === undefined
            ? [numberOf(filter.fromBlock), numberOf(filter.toBlock)]
            : [newest.get(filter.blockHash) ?? 1, newest.get(filter.blockHash) ?? 0]
        const blocks = Array.from({ length: last - first + 1 }, (_, index) => blockAt(first + index))
        return blocks.flatMap(({ logs }) => logs.filter(({ address }) => addresses === null || addresses.has(address)).map(rawLog))
      }
      case 'eth_call': {
        const { data = '0x' } = params[0] as { readonly data?: Hex }
        if (!data.startsWith(HOLDER_CODES)) throw new Error('execution reverted')
        // Every holder is a wallet.
        return `0x${'00'.repeat((data.length - HOLDER_CODES.length) / ADDRESS_DIGITS)}`
      }
      default:
        throw new Error(`the method ${method} is not available`)
    }
  }
  const server = createServer((request, response) => {
    response.setHeader('Content-Type', 'application/json')
    if (request.method === 'GET') {
      response.end(JSON.stringify({ ethereum: { usd: 3055.12 } }))
      return
    }
    void bodyOf(request).then(body => {
      const calls = JSON.parse(body) as Call | Call[]
      const one = (call: Call) => ({ jsonrpc: '2.0', id: call.id, ...resultOf(() => answer(call)) })
      response.end(JSON.stringify(Array.isArray(calls) ? calls.map(one) : one(calls)))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stopBlocks: () => clearInterval(growing) }
}

function resultOf(
  work: () => unknown,
): { readonly result: unknown } | { readonly error: { readonly code: number; readonly message: string } } {
  try {
    return { result: work() }
  } catch (error) {
    return { error: { code: -32_601, message: error instanceof Error ? error.message : String(error) } }
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

function rawHeader({ header }: GrowthBlock): unknown {
  const { number, hash, parentHash, timestamp, logsBloom, baseFeeWei } = header
  return {
    number: numberToHex(number),
    hash,
    parentHash,
    timestamp: numberToHex(timestamp),
    logsBloom,
    // No receipt is asked for.
    receiptsRoot: hash,
    baseFeePerGas: baseFeeWei === null ? null : numberToHex(baseFeeWei),
  }
}

function rawLog({ blockNumber, txHash, txIndex, logIndex, ...log }: GrowthBlock['logs'][number]): unknown {
  return {
    ...log,
    blockNumber: numberToHex(blockNumber),
    transactionHash: txHash,
    transactionIndex: numberToHex(txIndex),
    logIndex: numberToHex(logIndex),
    removed: false,
  }
}
