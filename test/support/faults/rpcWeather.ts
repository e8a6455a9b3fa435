import { numberToHex } from 'viem'
import { logsBloom } from '#chain/chainSource.ts'
import type { Random } from '#devchain/traders/random.ts'
import type { ChainLog } from '#domain/block.ts'
import type { FakeCall, Misbehaviour } from '#test/support/fakeProvider.ts'
import { createSimulatedChain, NodeFailure, rawLog, type SimulatedChain } from '#test/support/simulatedChain.ts'
import type { Hit } from './hits.ts'

/** The faults of providers in bad weather, with their weights. */
const CALLS: readonly (readonly [name: string, weight: number, misbehaviour: Misbehaviour])[] = [
  ['hangs', 0.25, { kind: 'hang' }],
  ['hangs in the body', 0.25, { kind: 'hang-in-body' }],
  ['resets the connection', 1, { kind: 'reset' }],
  ['cuts its answer', 1, { kind: 'cut-in-body' }],
  ['gives half of its answer', 1, { kind: 'half' }],
  ['leaves a call of a batch out', 1, { kind: 'omit' }],
  ['429', 0.5, { kind: 'http', status: 429 }],
  ['429 with Retry-After', 0.5, { kind: 'http', status: 429, headers: { 'Retry-After': '2' } }],
  ['500', 0.5, { kind: 'http', status: 500, body: '<html>oops</html>' }],
  ['502', 0.5, { kind: 'http', status: 502, body: '<html>bad gateway</html>' }],
  ['503', 0.5, { kind: 'http', status: 503, body: 'no healthy upstream' }],
  ['504', 0.5, { kind: 'http', status: 504 }],
  ['internal error in a 200', 1, { kind: 'error', code: -32603, message: 'Internal error' }],
  ['rate limit in a 200', 0.5, { kind: 'error', code: -32005, message: 'daily request count exceeded, request rate limited' }],
  ['header not found in a 200', 1, { kind: 'error', code: -32000, message: 'header not found' }],
]
const BLOCKS = ['null block', 'wrong hash', 'shifted time'] as const
const LOGS = ['logs missing', 'logs of a replaced block', 'removed logs'] as const

/** The messages that refuse a range of logs, for the allowed number of blocks. */
const RANGE_LIMITS: readonly (readonly [name: string, message: (from: number, blocks: number) => string])[] = [
  ['range limit: a number of blocks', (_, blocks) => `eth_getLogs is limited to a ${blocks} range`],
  ['range limit: at most', (_, blocks) => `please limit the query to at most ${blocks} blocks`],
  [
    'range limit: a suggestion',
    (from, blocks) =>
      `Log response size exceeded. this block range should work: [0x${from.toString(16)}, 0x${(from + blocks - 1).toString(16)}]`,
  ],
  ['range limit: results', () => 'query returned more than 10000 results'],
  ['range limit: no number', () => 'block range is too wide'],
]
/** The answer to a query by block hash of a provider that limits results. */
const CROWDED = 'range limit: results of a block'
const LONG_LISTS = 'long lists'
const TRAITS = ['some blocks behind', 'an hour behind', 'batch out of order', 'lies about its chain id', 'serves another chain'] as const

export const RPC_FAULTS: readonly string[] = [
  ...CALLS.map(([name]) => name),
  ...BLOCKS,
  ...LOGS,
  ...RANGE_LIMITS.map(([name]) => name),
  CROWDED,
  LONG_LISTS,
  ...TRAITS,
]

interface Traits {
  /** The share of calls that fail. */
  readonly failing: number
  readonly trait: (typeof TRAITS)[number] | null
  /** Index in `RANGE_LIMITS`, and the allowed number of blocks. */
  readonly limit: { readonly wording: number; readonly blocks: number } | null
  readonly behindBlocks: number
}

const FAIR: Traits = { failing: 0, trait: null, limit: null, behindBlocks: 0 }
const HOUR_SECONDS = 3_600

/** What one provider shows of a chain during a storm, and its random faults. */
export interface ProviderWeather {
  answer(method: string, params: readonly unknown[]): unknown
  misbehave(call: FakeCall): Misbehaviour | undefined
  shuffles(): boolean
  /** @param failing the share of calls that fail */
  storm(failing: number): void
  calm(): void
}

/** @param maxListed addresses, or pool ids, in one query of logs; more are refused in fair weather, too */
export function createProviderWeather(
  chain: SimulatedChain,
  random: Random,
  hit: Hit,
  maxListed = Number.POSITIVE_INFINITY,
): ProviderWeather {
  const elsewhere = createSimulatedChain({ genesisTimestamp: 1_600_000_000 })
  // Another genesis block makes it another chain, not a fork of this one.
  elsewhere.drop(1)
  elsewhere.mine()
  let traits = FAIR

  const hourBehind = (): number => {
    const head = chain.head().header
    let number = head.number
    while (number > 0 && chain.at(number).header.timestamp > head.timestamp - HOUR_SECONDS) number--
    return head.number - number
  }
  const behind = (): number => (traits.trait === 'an hour behind' ? hourBehind() : traits.behindBlocks)

  const answer = (method: string, params: readonly unknown[]): unknown => {
    if (traits.trait === 'serves another chain' && method !== 'eth_chainId') {
      hit('serves another chain')
      while (elsewhere.head().header.number < chain.head().header.number) elsewhere.mine()
      return elsewhere.answer(method, params)
    }
    const missing = behind()
    if (missing === 0) return chain.answer(method, params)
    if (traits.trait !== null) hit(traits.trait)
    return answerUpTo(chain, Math.max(0, chain.head().header.number - missing), method, params)
  }

  const misbehave = (call: FakeCall): Misbehaviour | undefined => {
    if (call.method === 'eth_chainId' && traits.trait === 'lies about its chain id') {
      hit(traits.trait)
      return { kind: 'result', result: '0x2a' }
    }
    if (listedIn(call) > maxListed) {
      hit(LONG_LISTS)
      return { kind: 'error', code: -32_602, message: 'exceed max addresses or topics per search position' }
    }
    const refused = traits.limit === null ? undefined : (refusedRange(call, traits.limit) ?? refusedBlock(chain, call, traits.limit))
    if (refused !== undefined) {
      hit(refused.name)
      return { kind: 'error', code: -32_602, message: refused.message }
    }
    if (!random.chance(traits.failing)) return undefined
    const wrong = random.chance(call.method === 'eth_getLogs' ? 0.8 : 0.25)
      ? wrongResult(chain, call, () => answer(call.method, call.params), random)
      : null
    if (wrong !== null) {
      hit(wrong.name)
      return { kind: 'result', result: wrong.result }
    }
    const [name, , misbehaviour] = CALLS[random.weighted(CALLS.map(([, weight]) => weight))] ?? CALLS[0] ?? unreachable()
    hit(name)
    return misbehaviour
  }

  return {
    answer,
    misbehave,
    shuffles: () => {
      if (traits.trait !== 'batch out of order') return false
      hit(traits.trait)
      return true
    },
    storm: failing => {
      const trait = random.chance(0.4) ? random.pick(TRAITS) : null
      traits = {
        failing,
        trait,
        limit: random.chance(0.4) ? { wording: random.integer(0, RANGE_LIMITS.length - 1), blocks: random.integer(1, 6) } : null,
        behindBlocks: trait === 'some blocks behind' ? random.integer(1, 5) : 0,
      }
    },
    calm: () => {
      traits = FAIR
    },
  }
}

/** The answer of a node that is only at that block. */
function answerUpTo(chain: SimulatedChain, head: number, method: string, params: readonly unknown[]): unknown {
  const [first] = params
  if (method === 'eth_getBlockByNumber') {
    if (first === 'latest') return chain.answer(method, [numberToHex(head), false])
    return Number(first) > head ? null : chain.answer(method, params)
  }
  if (method !== 'eth_getLogs') return chain.answer(method, params)
  const filter = first as Readonly<Record<string, string>>
  if (filter['blockHash'] === undefined) {
    return chain.answer(method, [{ ...filter, toBlock: numberToHex(Math.min(head, Number(filter['toBlock']))) }])
  }
  if (chain.at(head + 1).header.hash === filter['blockHash']) throw new NodeFailure(-32_000, 'unknown block')
  return chain.answer(method, params)
}

function refusedRange({ method, params }: FakeCall, { wording, blocks }: NonNullable<Traits['limit']>) {
  const range = rangeOf(method, params)
  const limit = RANGE_LIMITS[wording]
  if (range === null || limit === undefined || range.to - range.from + 1 <= blocks) return undefined
  return { name: limit[0], message: limit[1](range.from, blocks) }
}

/** A provider that limits results refuses this many logs of one block, too. */
function refusedBlock(chain: SimulatedChain, { method, params }: FakeCall, { wording, blocks }: NonNullable<Traits['limit']>) {
  const [name, message] = RANGE_LIMITS[wording] ?? unreachable()
  const { blockHash } = (params[0] ?? {}) as { readonly blockHash?: unknown }
  if (name !== 'range limit: results' || method !== 'eth_getLogs' || blockHash === undefined) return undefined
  const logs = tried(() => chain.answer(method, params) as readonly RawLog[]) ?? []
  return logs.length > blocks ? { name: CROWDED, message: message(0, 1) } : undefined
}

/** The length of the longer list: of addresses, or of pool ids. */
function listedIn({ method, params }: FakeCall): number {
  const filter = (method === 'eth_getLogs' ? (params[0] ?? {}) : {}) as {
    readonly address?: readonly unknown[]
    readonly topics?: readonly (readonly unknown[] | null)[]
  }
  return Math.max(filter.address?.length ?? 0, filter.topics?.[1]?.length ?? 0)
}

type RawBlock = Readonly<Record<string, unknown>> | null

/** A well-formed answer that is false, for calls that allow one. */
function wrongResult(chain: SimulatedChain, { method, params }: FakeCall, answer: () => unknown, random: Random) {
  if (method === 'eth_getBlockByNumber') {
    const name = random.pick(BLOCKS)
    const block = answer() as RawBlock
    if (name === 'null block' || block === null) return { name: 'null block', result: null }
    if (name === 'shifted time') {
      const timestamp = numberToHex(Number(block['timestamp']) + random.pick([-3_600, -60, 1, 60, 3_600]))
      return { name, result: { ...block, timestamp } }
    }
    const wrong = `0x${random
      .integer(1, 2 ** 31)
      .toString(16)
      .padStart(64, '0')}`
    return { name, result: { ...block, [random.pick(['hash', 'parentHash'])]: wrong } }
  }
  if (method !== 'eth_getLogs') return null
  return wrongLogs(chain, params[0] as Filter, () => answer() as readonly RawLog[], random)
}

type RawLog = ReturnType<typeof rawLog>
type Filter = Readonly<Record<string, unknown>>

function wrongLogs(chain: SimulatedChain, filter: Filter, answer: () => readonly RawLog[], random: Random) {
  const logs = tried(answer)
  if (logs === null || logs.length === 0) return null
  const replaced = random.chance(0.9) ? replacedLogs(chain, filter, logs, random) : null
  if (replaced !== null) return { name: 'logs of a replaced block', result: replaced }
  // Missing logs of a range can't be noticed, nor those of a block whose other logs have the same bloom: both are known gaps.
  const block = blockOf(chain, Number(logs[0]?.blockNumber), filter['blockHash'])
  if (block === null || random.chance(0.3)) return { name: 'removed logs', result: logs.map(log => ({ ...log, removed: true })) }
  const left = block.slice(0, random.integer(0, block.length - 1))
  return { name: 'logs missing', result: logsBloom(left) === logsBloom(block) ? [] : left.map(rawLog) }
}

/** The logs, with one of their blocks replaced by another fork's. */
function replacedLogs(chain: SimulatedChain, filter: Filter, logs: readonly RawLog[], random: Random): readonly RawLog[] | null {
  const number = Number(random.pick(logs).blockNumber)
  const addresses = filter['address'] as readonly string[] | undefined
  const other = chain
    .dropped(number)
    .map(block => block.logs.filter(log => addresses === undefined || addresses.includes(log.address)))
    .find(list => list.length > 0)
  return other === undefined ? null : [...logs.filter(log => Number(log.blockNumber) !== number), ...other.map(rawLog)]
}

/** The logs of a canonical block, by its hash. */
function blockOf(chain: SimulatedChain, number: number, hash: unknown): readonly ChainLog[] | null {
  if (number > chain.head().header.number) return null
  const { header, logs } = chain.at(number)
  return header.hash === hash ? logs : null
}

function tried<T>(answer: () => T): T | null {
  try {
    return answer()
  } catch (error) {
    if (error instanceof NodeFailure) return null
    throw error
  }
}

function rangeOf(method: string, params: readonly unknown[]): { readonly from: number; readonly to: number } | null {
  const filter = params[0] as Filter | undefined
  if (method !== 'eth_getLogs' || filter?.['fromBlock'] === undefined) return null
  return { from: Number(filter['fromBlock']), to: Number(filter['toBlock']) }
}

function unreachable(): never {
  throw new TypeError('the list of faults is empty')
}
