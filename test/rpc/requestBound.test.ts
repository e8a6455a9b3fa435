import { describe, expect, it } from 'vitest'
import { createChainSource } from '#chain/chainSource.ts'
import type { ChainLog } from '#domain/block.ts'
import { createRpc } from '#rpc/rpc.ts'
import { silentLogger } from '#test/support/database.ts'
import { type FakeCall, type Misbehaviour, startFakeProvider } from '#test/support/fakeProvider.ts'
import { createManualClock } from '#test/support/manualClock.ts'
import { createSimulatedChain, testAddress } from '#test/support/simulatedChain.ts'

/*
 * A provider whose limit is said in no known words must not be asked without end: a client that knows the limit would send a number of
 * requests, and finding the limit out may cost a multiple of it: 1.0 to 4.8 times, and up to 13.5 where a number in the words misleads.
 */

const BLOCKS = 2_000
/** The public bound is 20 times. */
const MOST = 20
const WATCHED = Array.from({ length: 40 }, (_, index) => testAddress(index))
const LOGS_PER_BLOCK = 3

const chain = createSimulatedChain()
for (let block = 1; block <= BLOCKS; block++)
  chain.mine(Array.from({ length: LOGS_PER_BLOCK }, (_, index) => ({ address: testAddress((block + 13 * index) % 40) })))

interface Filter {
  readonly fromBlock?: string
  readonly toBlock?: string
  readonly address?: readonly string[]
}
const filterOf = ({ params }: FakeCall) => (params[0] ?? {}) as Filter
const span = (call: FakeCall) => Number(filterOf(call).toBlock) - Number(filterOf(call).fromBlock) + 1
const width = (call: FakeCall) => filterOf(call).address?.length ?? 0
const count = (call: FakeCall) => (chain.answer(call.method, call.params) as readonly unknown[]).length

interface ProviderLimit {
  readonly exceeds: (call: FakeCall) => boolean
  /** How many requests a client sends that knows the limit. */
  readonly known: (blocks: number) => number
}
const LIMITS: Readonly<Record<string, ProviderLimit>> = {
  '50 blocks': { exceeds: call => span(call) > 50, known: blocks => Math.ceil(blocks / 50) },
  '100 blocks': { exceeds: call => span(call) > 100, known: blocks => Math.ceil(blocks / 100) },
  '10 addresses': { exceeds: call => width(call) > 10, known: () => 4 },
  '1,000 logs': { exceeds: call => count(call) > 1_000, known: blocks => Math.ceil((blocks * LOGS_PER_BLOCK) / 1_000) },
  '50 blocks and 10 addresses': { exceeds: call => span(call) > 50 || width(call) > 10, known: blocks => 4 * Math.ceil(blocks / 50) },
}

const REFUSALS: Readonly<Record<string, Misbehaviour>> = {
  'an empty message': { kind: 'error', code: -32_000, message: '' },
  'another language': { kind: 'error', code: -32_000, message: '查询范围过大' },
  'an internal error': { kind: 'error', code: -32_603, message: 'internal error' },
  'a rate limit’s words': { kind: 'error', code: -32_005, message: 'limit exceeded' },
  'a misleading number': { kind: 'error', code: -32_000, message: 'code 3 at 17' },
  'HTTP 400': { kind: 'http', status: 400, body: '' },
  'HTTP 413': { kind: 'http', status: 413, body: 'Payload Too Large' },
}

describe('the logs of a range cost fewer than 20 times the requests of a client that knows the provider’s limit', () => {
  it.each(Object.keys(LIMITS))('of %s, refused in whatever words', async name => {
    const limit = LIMITS[name] ?? expect.unreachable(name)
    for (const [words, refusal] of Object.entries(REFUSALS)) {
      for (const blocks of [60, 400, ...(words.startsWith('a misleading') ? [BLOCKS] : [])]) {
        const requests = await requestsFor(blocks, limit, refusal)
        expect(requests, `${words}, ${blocks} blocks`).toBeLessThan(MOST * limit.known(blocks))
      }
    }
  })
})

async function requestsFor(blocks: number, { exceeds }: ProviderLimit, refusal: Misbehaviour): Promise<number> {
  const provider = await startFakeProvider({ chain })
  const rpc = createRpc({
    urls: [provider.url],
    chainId: 1,
    logger: silentLogger,
    clock: createManualClock(),
    random: () => 1,
    fetch: provider.fetch,
  })
  try {
    await rpc.connect()
    provider.setMisbehaviour(call => (call.method === 'eth_getLogs' && exceeds(call) ? refusal : undefined))
    const before = provider.requests()
    const end = chain.head().header
    const { logs } = await createChainSource({ rpc }).logsInRange({ from: 1, to: blocks, end, addresses: WATCHED, maxLogs: 1e9 })
    const places = (some: readonly ChainLog[]) => some.map(({ blockNumber, logIndex }) => `${blockNumber} ${logIndex}`)
    expect(places(logs)).toEqual(places(chain.logs().filter(({ blockNumber }) => blockNumber <= blocks)))
    return provider.requests() - before
  } finally {
    rpc.close()
    await provider.stop()
  }
}
