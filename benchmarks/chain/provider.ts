import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { numberToHex } from 'viem'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Hex } from '#domain/address.ts'
import { HOLDER_CODES } from '#jobs/holderClassifier.ts'
import { listen } from '#test/support/listen.ts'
import { NodeFailure, rawLog, type SimulatedBlock, type SimulatedChain } from '#test/support/simulatedChain.ts'

/** A chain that a provider serves. */
export interface ProvidedChain extends Pick<SimulatedChain, 'answer' | 'at' | 'head'> {
  readonly chainId: number
}

/** How the provider answers. */
export interface ProviderBehaviour {
  /** The delay of every answer. */
  readonly latencyMs: number
  /** Queries of logs for more blocks are refused. */
  readonly maxBlocks: number
}

/** A node of the chain over HTTP and WebSocket, and a source of the price of ether, which answers any GET. */
export interface Provider {
  readonly url: string
  readonly webSocketUrl: string
  behave(behaviour: ProviderBehaviour): void
  /** Tells the subscribers of new heads of a block. */
  announce(block: SimulatedBlock): void
  close(): Promise<void>
}

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params?: readonly unknown[]
}

const ADDRESS_DIGITS = 40
const SUBSCRIPTION = '0x1'
/** Of an answer for a range. */
const MAX_LOGS = 10_000
const ETHER_USD = 3_012.44

export async function startProvider(chain: ProvidedChain): Promise<Provider> {
  let behaviour: ProviderBehaviour = { latencyMs: 0, maxBlocks: 2_000 }
  const followers = new Set<WebSocket>()

  const answerAll = async (text: string, socket: WebSocket | null): Promise<string> => {
    const calls = JSON.parse(text) as Call | readonly Call[]
    const one = ({ id, method, params = [] }: Call) => {
      if (method !== 'eth_subscribe' || socket === null)
        return { jsonrpc: '2.0', id, ...outcomeOf(() => answer(chain, method, params, behaviour)) }
      followers.add(socket)
      return { jsonrpc: '2.0', id, result: SUBSCRIPTION }
    }
    const body = JSON.stringify(isBatch(calls) ? calls.map(one) : one(calls))
    if (behaviour.latencyMs > 0) await pause(behaviour.latencyMs)
    return body
  }

  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('Content-Type', 'application/json')
    if (request.method === 'GET') return response.end(JSON.stringify({ ethereum: { usd: ETHER_USD }, data: { amount: String(ETHER_USD) } }))
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    return response.end(await answerAll(Buffer.concat(chunks).toString(), null))
  }
  const server = createServer((request, response) => void respond(request, response).catch(() => response.destroy()))
  server.keepAliveTimeout = 60_000
  const sockets = new WebSocketServer({ server, perMessageDeflate: false })
  sockets.on('connection', socket => {
    socket.on('message', data => void answerAll((data as Buffer).toString(), socket).then(body => socket.send(body)))
    socket.on('close', () => followers.delete(socket))
  })
  const port = await listen(server)

  return {
    url: `http://127.0.0.1:${port}`,
    webSocketUrl: `ws://127.0.0.1:${port}`,
    behave: next => {
      behaviour = next
    },
    announce: block => {
      const result = answer(chain, 'eth_getBlockByHash', [block.header.hash, false], behaviour)
      const message = JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription: SUBSCRIPTION, result } })
      for (const socket of followers) socket.send(message)
    },
    close: async () => {
      sockets.close()
      server.closeAllConnections()
      await new Promise<void>(resolve => void server.close(() => resolve()))
    },
  }
}

function answer(chain: ProvidedChain, method: string, params: readonly unknown[], { maxBlocks }: ProviderBehaviour): unknown {
  switch (method) {
    case 'eth_blockNumber':
      return numberToHex(chain.head().header.number)
    case 'net_version':
      return String(chain.chainId)
    case 'eth_getCode':
      return '0x60'
    case 'eth_call': {
      const { data = '0x' } = params[0] as { readonly data?: Hex }
      if (!data.startsWith(HOLDER_CODES)) throw new NodeFailure(3, 'execution reverted')
      // Every holder is a wallet.
      return `0x${'00'.repeat((data.length - HOLDER_CODES.length) / ADDRESS_DIGITS)}`
    }
    case 'eth_getLogs': {
      const { fromBlock, toBlock } = params[0] as { readonly fromBlock?: string; readonly toBlock?: string }
      if (Number(toBlock) - Number(fromBlock) >= maxBlocks)
        throw new NodeFailure(-32_600, `eth_getLogs is limited to a ${maxBlocks} block range`)
      const logs = chain.answer(method, params) as readonly unknown[]
      if (fromBlock !== undefined && logs.length > MAX_LOGS) throw new NodeFailure(-32_005, `query returned more than ${MAX_LOGS} results`)
      return logs
    }
    case 'eth_getBlockByNumber':
    case 'eth_getBlockByHash': {
      const block = chain.answer(method, params) as Readonly<Record<string, unknown>> | null
      return block === null || params[1] !== true
        ? block
        : { ...block, ...MORE_OF_BLOCK, transactions: transactionsOf(chain.at(Number(block['number'])), chain.chainId) }
    }
    default:
      return chain.answer(method, params)
  }
}

/** What others read of a block and Tokenwire does not. */
const MORE_OF_BLOCK = { size: '0x400', totalDifficulty: '0x0', uncles: [] }

/** The transactions of a block in full: one for each of its logs' hashes. */
function transactionsOf({ header, logs }: SimulatedBlock, chainId: number): readonly unknown[] {
  const first = new Map(logs.map(log => [log.txHash, rawLog(log)]))
  return [...first.values()].map(({ transactionHash, transactionIndex, blockHash, blockNumber, address }) => ({
    hash: transactionHash,
    transactionIndex,
    blockHash,
    blockNumber,
    from: address,
    to: address,
    input: '0x',
    value: '0x0',
    nonce: '0x0',
    gas: '0x5208',
    gasPrice: numberToHex(header.baseFeeWei ?? 0n),
    type: '0x0',
    chainId: numberToHex(chainId),
    v: '0x1b',
    r: '0x1',
    s: '0x1',
  }))
}

function outcomeOf(
  work: () => unknown,
): { readonly result: unknown } | { readonly error: { readonly code: number; readonly message: string } } {
  try {
    return { result: work() }
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error
    return { error: { code: error.code, message: error.message } }
  }
}

function isBatch(calls: Call | readonly Call[]): calls is readonly Call[] {
  return Array.isArray(calls)
}
