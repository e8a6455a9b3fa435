import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { LogFilter, RecordedChain } from './recordedChain.ts'

/** The provider's behaviour that the source imitates. */
export interface SourceBehaviour {
  /** The delay of every answer. */
  readonly latencyMs: number
  /** Queries for more blocks or logs are refused with a provider's error text. */
  readonly maxBlocks: number
  readonly maxLogs: number
}

export interface SourceCounts {
  readonly requests: number
  readonly calls: Readonly<Record<string, number>>
  readonly refused: number
  readonly bytes: number
}

export interface Source {
  readonly url: string
  behave(behaviour: SourceBehaviour): void
  /** Since the last call. */
  takeCounts(): SourceCounts
  close(): Promise<void>
}

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params?: readonly unknown[]
}

/** The result as JSON text, or an error. */
type Result = Buffer | { readonly code: number; readonly message: string }

/** Serves a recorded chain over JSON-RPC. It only copies bytes, so an answer costs the same for every contestant. */
export async function startSource(chain: RecordedChain, chainId: number): Promise<Source> {
  let behaviour: SourceBehaviour = { latencyMs: 0, maxBlocks: 2_000, maxLogs: 10_000 }
  let counts = emptyCounts()

  const answer = (call: Call): Buffer => {
    counts.calls[call.method] = (counts.calls[call.method] ?? 0) + 1
    const result = resultOf(call, chain, chainId, behaviour)
    const id = JSON.stringify(call.id)
    if (Buffer.isBuffer(result)) return Buffer.concat([Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":`), result, Buffer.from('}')])
    counts.refused++
    return Buffer.from(`{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(result)}}`)
  }

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const dueAtMs = performance.now() + behaviour.latencyMs
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const asked = JSON.parse(Buffer.concat(chunks).toString()) as Call | readonly Call[]
    const body = isBatch(asked) ? listOf(asked.map(answer)) : answer(asked)
    counts.requests++
    counts.bytes += body.length
    const leftMs = dueAtMs - performance.now()
    if (leftMs > 0) await pause(leftMs)
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
  }

  const server = createServer((request, response) => void respond(request, response).catch(() => response.destroy()))
  server.keepAliveTimeout = 60_000
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behave: next => {
      behaviour = next
    },
    takeCounts: () => {
      const taken = counts
      counts = emptyCounts()
      return taken
    },
    close: () => closed(server),
  }
}

function resultOf({ method, params = [] }: Call, chain: RecordedChain, chainId: number, { maxBlocks, maxLogs }: SourceBehaviour): Result {
  switch (method) {
    case 'eth_chainId':
      return Buffer.from(`"0x${chainId.toString(16)}"`)
    case 'net_version':
      return Buffer.from(`"${chainId}"`)
    case 'eth_blockNumber':
      return Buffer.from(`"0x${chain.head.toString(16)}"`)
    case 'eth_getBlockByNumber':
      return chain.block(blockNumber(params[0], chain), params[1] === true) ?? NULL
    case 'eth_getBlockByHash': {
      const number = chain.numberOf(String(params[0]))
      return (number === null ? null : chain.block(number, params[1] === true)) ?? NULL
    }
    case 'eth_getLogs': {
      const query = params[0] as LogQuery
      const filter = filterOf(query, chain)
      if (filter === null) return { code: -32000, message: 'unknown block' }
      if (filter.to - filter.from + 1 > maxBlocks) return { code: -32600, message: `eth_getLogs is limited to a ${maxBlocks} block range` }
      const { text, lastFitting } = chain.logs(filter, query.blockHash === undefined ? maxLogs : Number.POSITIVE_INFINITY)
      if (text !== null) return text
      const range = [filter.from, Math.max(filter.from, lastFitting)].map(number => `0x${number.toString(16)}`)
      return { code: -32005, message: `query returned more than ${maxLogs} results. Try with this block range [${range.join(', ')}].` }
    }
    default:
      return { code: -32601, message: `the method ${method} does not exist/is not available` }
  }
}

const NULL = Buffer.from('null')

interface LogQuery {
  readonly fromBlock?: string
  readonly toBlock?: string
  readonly blockHash?: string
  readonly address?: string | readonly string[]
  readonly topics?: readonly (string | readonly string[] | null)[]
}

function filterOf({ fromBlock, toBlock, blockHash, address, topics = [] }: LogQuery, chain: RecordedChain): LogFilter | null {
  const one = blockHash === undefined ? undefined : chain.numberOf(blockHash)
  if (one === null) return null
  return {
    from: one ?? blockNumber(fromBlock, chain),
    to: one ?? blockNumber(toBlock, chain),
    addresses: address === undefined ? null : listed(address),
    topics: topics.map(topic => (topic === null ? null : listed(topic))),
  }
}

function listed(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? [value] : value
}

function blockNumber(tag: unknown, { head }: RecordedChain): number {
  if (typeof tag === 'string' && tag.startsWith('0x')) return Number(tag)
  return tag === 'earliest' ? 0 : head
}

function isBatch(asked: Call | readonly Call[]): asked is readonly Call[] {
  return Array.isArray(asked)
}

function listOf(parts: readonly Buffer[]): Buffer {
  const separated = parts.flatMap((part, index) => (index === 0 ? [part] : [COMMA, part]))
  return Buffer.concat([Buffer.from('['), ...separated, Buffer.from(']')])
}

const COMMA = Buffer.from(',')

function emptyCounts() {
  return { requests: 0, calls: {} as Record<string, number>, refused: 0, bytes: 0 }
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise(resolve => void server.close(() => resolve()))
}
