import { setTimeout as pause } from 'node:timers/promises'
import { numberToHex } from 'viem'
import { type FakeCall, type Misbehaviour, startFakeProvider } from '#test/support/fakeProvider.ts'
import { NodeFailure } from '#test/support/simulatedChain.ts'
import { type Block, type GeneratedChain, type RawLog, RECEIPT } from './chain.ts'

/** How a node departs from its chain. Checks change it while the service runs. */
export interface NodeView {
  /** Blocks at the end of the chain that it does not know yet. */
  lag: number
  /** What one query of logs may cover. */
  limits: { readonly blocks?: number; readonly logs?: number }
  /** Whether it gives every log twice. */
  duplicates: boolean
  /** How long every answer takes. */
  answerMs: number
  /** Answers to `eth_call` by selector; without one `0x`, as a contract without that function. */
  calls: Readonly<Record<string, string>>
  /** Whether WebSocket subscribers hear of new heads. */
  pushes: boolean
  /** Replaces an answer: what a node that lies does. */
  alter: (call: FakeCall, answer: unknown) => unknown
  /** The fault of a call in place of its answer. */
  fault: (call: FakeCall) => Misbehaviour | undefined
  /** Called with each call before it is answered. */
  onCall: (call: FakeCall) => void
}

export interface ChainNode {
  readonly url: string
  readonly webSocketUrl: string
  readonly view: NodeView
  /** HTTP requests so far. */
  requests(): number
  /** Calls so far. */
  readonly calls: readonly FakeCall[]
  stop(): Promise<void>
}

/** A JSON-RPC node over HTTP and WebSocket that shows the chain as its `view` says. */
export async function startNode(chain: GeneratedChain, departures: Partial<NodeView> = {}): Promise<ChainNode> {
  const view: NodeView = {
    lag: 0,
    limits: {},
    duplicates: false,
    answerMs: 0,
    calls: {},
    pushes: true,
    alter: (_, answer) => answer,
    fault: () => undefined,
    onCall: () => undefined,
    ...departures,
  }
  const answer = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    view.onCall({ method, params })
    if (view.answerMs > 0) await pause(view.answerMs)
    return view.alter({ method, params }, answerOf(chain, view, method, params))
  }
  const provider = await startFakeProvider({ chain: { answer }, misbehave: call => view.fault(call) })
  chain.onHead(() => {
    if (view.pushes) provider.pushHead()
  })
  return { ...provider, view }
}

function answerOf(chain: GeneratedChain, view: NodeView, method: string, params: readonly unknown[]): unknown {
  const blocks = chain.blocks.slice(0, Math.max(1, chain.blocks.length - view.lag))
  const [first, second] = params
  switch (method) {
    case 'eth_chainId':
      return numberToHex(chain.chainId)
    case 'eth_blockNumber':
      return numberToHex(blocks.length - 1)
    case 'eth_getBlockByNumber':
      return blocks.at(placeOf(first))?.header ?? null
    case 'eth_getBlockByHash':
      return known(chain, blocks, first)?.header ?? null
    case 'eth_getLogs':
      return logsFor(chain, blocks, view, first as Filter)
    case 'eth_getBlockReceipts':
      return receiptsOf(blocks.at(placeOf(first)) ?? (chain.kind === 'bare' ? undefined : known(chain, blocks, first)))
    case 'eth_getCode':
      return '0x6080'
    case 'eth_call':
      return view.calls[String((first as { data?: unknown }).data).slice(0, 10)] ?? '0x'
    case 'eth_getTransactionReceipt':
      return blocks.flatMap(block => receiptsOf(block) ?? []).find(({ transactionHash }) => transactionHash === first) ?? null
    default:
      throw new NodeFailure(-32_601, `the method ${method} does not exist (${JSON.stringify(second)})`)
  }
}

/** `safe` and `finalized` are the head, as on the public suite's chain: it promises no finality. */
function placeOf(tag: unknown): number {
  if (tag === 'earliest') return 0
  const number = Number.parseInt(String(tag), 16)
  return String(tag).startsWith('0x') ? number : -1
}

function known(chain: GeneratedChain, blocks: readonly Block[], hash: unknown): Block | undefined {
  const block = chain.byHash(hash)
  return block === undefined || block.number >= blocks.length ? undefined : block
}

interface Filter {
  readonly blockHash?: string
  readonly fromBlock?: string
  readonly toBlock?: string
  readonly address?: string | readonly string[]
  readonly topics?: readonly (string | readonly string[] | null)[]
}

function logsFor(chain: GeneratedChain, blocks: readonly Block[], { limits, duplicates }: NodeView, filter: Filter): readonly RawLog[] {
  const found = blocksOf(chain, blocks, filter, limits.blocks).flatMap(({ logs }) => logs.filter(log => fits(log, filter)))
  if (limits.logs !== undefined && found.length > limits.logs)
    throw new NodeFailure(-32_005, `query returned more than ${limits.logs} results`)
  return duplicates ? found.flatMap(log => [log, log]) : found
}

function blocksOf(chain: GeneratedChain, blocks: readonly Block[], filter: Filter, most = Number.POSITIVE_INFINITY): readonly Block[] {
  if (filter.blockHash !== undefined) {
    const block = known(chain, blocks, filter.blockHash)
    if (block === undefined) throw new NodeFailure(-32_000, 'unknown block')
    return [block]
  }
  const [from, to] = [rangeOf(filter.fromBlock, blocks), rangeOf(filter.toBlock, blocks)]
  if (to - from + 1 > most) throw new NodeFailure(-32_600, `query exceeds max block range ${most}`)
  return blocks.slice(from, to + 1)
}

function rangeOf(tag: string | undefined, blocks: readonly Block[]): number {
  const place = placeOf(tag ?? 'latest')
  return place < 0 ? blocks.length - 1 : place
}

/** How many blocks a call asks logs of; 0 for other calls and for one block by its hash. */
export function rangeBlocks({ method, params }: FakeCall): number {
  const filter = method === 'eth_getLogs' ? (params[0] as Filter) : {}
  return filter.fromBlock === undefined || filter.toBlock === undefined ? 0 : placeOf(filter.toBlock) - placeOf(filter.fromBlock) + 1
}

function fits({ address, topics }: RawLog, filter: Filter): boolean {
  const wanted = filter.address === undefined ? null : [filter.address].flat()
  if (wanted !== null && !wanted.some(one => one.toLowerCase() === address)) return false
  return (filter.topics ?? []).every((some, index) => some === null || [some].flat().includes(topics[index] ?? ''))
}

/** On a `bare` chain they are found by number only, as on the public suite's. */
function receiptsOf(block: Block | undefined) {
  if (block === undefined) return null
  return block.events.map(({ txHash }) => ({
    transactionHash: txHash,
    transactionIndex: block.logs.find(({ transactionHash }) => transactionHash === txHash)?.transactionIndex,
    blockHash: block.hash,
    blockNumber: block.header['number'],
    logs: block.logs.filter(({ transactionHash }) => transactionHash === txHash),
    logsBloom: block.header['logsBloom'],
    ...RECEIPT,
  }))
}
