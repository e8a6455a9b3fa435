import { afterEach, describe, expect, it } from 'vitest'
import { type ChainSource, createChainSource } from '#chain/chainSource.ts'
import { createRpc, type Rpc } from '#rpc/rpc.ts'
import { type FakeCall, type FakeProvider, type Misbehaviour, startFakeProvider } from '#test/support/fakeProvider.ts'
import { createLogLines, type LogLines } from '#test/support/logLines.ts'
import { createManualClock, type ManualClock } from '#test/support/manualClock.ts'
import { createSimulatedChain, testAddress } from '#test/support/simulatedChain.ts'

/*
 * A provider that refused 50 blocks as "limit exceeded" was taken for one that limits its rate, and one that refused them as "internal
 * error" for one that is broken: both were asked for the same range again, for ever. Size is told from trouble by what is answered at the
 * same moment, not by words.
 */

const BLOCKS = 400
const WATCHED = Array.from({ length: 12 }, (_, index) => testAddress(index))

const chain = createSimulatedChain()
for (let block = 1; block <= BLOCKS; block++) chain.mine([{ address: testAddress(block % 12) }, { address: testAddress(99) }])
const wanted = chain.logs().filter(({ address }) => WATCHED.includes(address))

const running: { stop(): void | Promise<void> }[] = []
afterEach(async () => {
  for (const one of running.splice(0).reverse()) await one.stop()
})

interface Filter {
  readonly fromBlock?: string
  readonly toBlock?: string
  readonly blockHash?: string
  readonly address?: readonly string[]
}

describe('a log query that a provider refuses for its size', () => {
  it.each(refusals())('is asked for in parts, refused with %s for its blocks', async (_, refusal) => {
    const { provider, rpc, clock, fetchAll } = await open(call => (spanOf(call) > 50 ? refusal : undefined))
    const before = provider.requests()
    await expect(fetchAll()).resolves.toEqual({ logs: wanted, to: BLOCKS })
    // Eight queries of 50 blocks, and the search for that number.
    expect(provider.requests() - before).toBeLessThan(60)
    expect(clock.waitedMs()).toBe(0)
    expect(rpc.health()[0]).toMatchObject({ healthy: true, errorRate: 0 })
  })

  it.each(refusals())('is asked for in parts, refused with %s for its addresses', async (_, refusal) => {
    const { provider, fetchAll } = await open(call => (widthOf(call) > 5 ? refusal : undefined))
    const before = provider.requests()
    await expect(fetchAll()).resolves.toEqual({ logs: wanted, to: BLOCKS })
    expect(provider.requests() - before).toBeLessThan(40)
  })
})

describe('a log query that a provider refuses for another reason', () => {
  it.each([
    ['-32005 "limit exceeded"', error(-32005, 'limit exceeded')],
    ['HTTP 429', http(429, '')],
  ])('is sent again in the same size, refused with %s for the rate', async (_, refusal) => {
    const { provider, rpc, clock, fetchAll } = await open(() => undefined)
    let [allowed, untilMs] = [3, clock.nowMs() + 1_000]
    provider.setMisbehaviour(call => {
      if (clock.nowMs() >= untilMs) [allowed, untilMs] = [3, clock.nowMs() + 1_000]
      return call.method === 'eth_getLogs' && allowed-- <= 0 ? refusal : undefined
    })
    for (let round = 0; round < 8; round++) await expect(fetchAll()).resolves.toMatchObject({ logs: wanted })
    expect(provider.calls.filter(call => spanOf(call) > 1 && spanOf(call) < BLOCKS)).toEqual([])
    expect(rpc.health()[0]).toMatchObject({ rangeBlocks: 100_000 })
  })

  it('fails with the words of the provider, and teaches no limit, when not even the smallest is answered', async () => {
    const { provider, rpc, fetchAll } = await open(({ method }) =>
      method === 'eth_getLogs' ? error(-32_000, `no logs for ${provider.secret}: the index is being built`) : undefined,
    )
    const before = provider.requests()
    await expect(fetchAll()).rejects.toThrow('rpc-1: the node failed (-32000): no logs for <redacted>: the index is being built')
    expect(provider.requests() - before).toBeLessThan(30)
    expect(rpc.health()[0]).toMatchObject({ rangeBlocks: 100_000 })
  })

  it('is asked for in its own size again by a provider that refused all sizes for a while', async () => {
    let works = false
    const { provider, fetchAll } = await open(({ method }) => (works || method !== 'eth_getLogs' ? undefined : http(502, '')))
    await expect(fetchAll()).rejects.toMatchObject({ fault: { kind: 'http' } })
    works = true
    const before = provider.requests()
    await expect(fetchAll()).resolves.toMatchObject({ logs: wanted })
    expect(provider.requests() - before).toBe(1)
  })
})

describe('a provider with a limit of sizes', () => {
  it('is known by it, and by its own words, without secrets', async () => {
    const { provider, rpc, log, fetchAll } = await open(call =>
      spanOf(call) > 50 ? http(400, `<p>plan of ${provider.secret}: at most <b>50</b> blocks</p>`) : undefined,
    )
    await fetchAll()
    const said = log.lines().filter(({ msg }) => msg === 'RPC provider gets smaller log queries')
    const cause = 'the log query spans too many blocks for it (HTTP 400: plan of <redacted>: at most 50 blocks)'
    expect(said.filter(({ level }) => Number(level) >= 30)).toMatchObject([{ provider: 'rpc-1', cause }])
    expect(rpc.health()[0]?.rangeBlocks).toBeLessThanOrEqual(75)
    expect(log.text()).not.toContain(provider.secret)
  })

  it('gets larger queries again when it is lifted', async () => {
    let most = 20
    const { provider, fetchAll } = await open(call => (spanOf(call) > most ? error(-32_000, 'no') : undefined))
    for (let round = 0; round < 5; round++) await fetchAll()
    most = BLOCKS
    for (let round = 0; round < 10; round++) await fetchAll()
    const before = provider.requests()
    await fetchAll()
    expect(provider.requests() - before).toBe(1)
  })

  it('gives the logs of a block that has too many for one answer by its receipts', async () => {
    const dense = 7
    const { fetchAll } = await open(call => {
      const { fromBlock, toBlock, address = [] } = filterOf(call)
      const holds = Number(fromBlock) <= dense && Number(toBlock) >= dense && address.includes(testAddress(dense))
      return holds ? error(-32_005, 'exceeded') : undefined
    })
    await expect(fetchAll()).resolves.toEqual({ logs: wanted, to: BLOCKS })
  })

  it('is asked for all logs of a block by its receipts where it refuses such queries, in whatever words', async () => {
    const { source } = await open(call =>
      call.method === 'eth_getLogs' && filterOf(call).address === undefined ? error(-32_005, 'exceeded') : undefined,
    )
    for (const number of [1, 2, 3]) await expect(source.blockWithLogs(number)).resolves.toEqual(chain.at(number))
  })
})

interface Setting {
  readonly provider: FakeProvider
  readonly rpc: Rpc
  readonly source: ChainSource
  readonly clock: ManualClock
  readonly log: LogLines
  /** The logs of the watched addresses in all blocks. */
  fetchAll(): ReturnType<ChainSource['logsInRange']>
}

async function open(misbehave: (call: FakeCall) => Misbehaviour | undefined): Promise<Setting> {
  const provider = await startFakeProvider({ chain })
  const clock = createManualClock()
  const log = createLogLines()
  const options = { chainId: 1, logger: log.logger, clock, random: () => 1, fetch: provider.fetch, timeoutMs: 150 }
  const rpc = createRpc({ urls: [provider.url], ...options })
  running.push(provider, { stop: () => rpc.close() })
  await rpc.connect()
  provider.setMisbehaviour(misbehave)
  const source = createChainSource({ rpc })
  const end = chain.head().header
  const fetchAll = () => source.logsInRange({ from: 1, to: BLOCKS, end, addresses: WATCHED, maxLogs: 1e9 })
  return { provider, rpc, source, clock, log, fetchAll }
}

function filterOf({ params }: FakeCall) {
  return (params[0] ?? {}) as Filter
}

function spanOf(call: FakeCall) {
  const { fromBlock, toBlock } = filterOf(call)
  return call.method === 'eth_getLogs' && fromBlock !== undefined ? Number(toBlock) - Number(fromBlock) + 1 : 0
}

function widthOf(call: FakeCall) {
  return filterOf(call).address?.length ?? 0
}

function error(code: number, message: string): Misbehaviour {
  return { kind: 'error', code, message }
}

function http(status: number, body: string): Misbehaviour {
  return { kind: 'http', status, body }
}

/** Seen in public or made up: no list of phrases is behind the rule. */
function refusals(): readonly (readonly [string, Misbehaviour])[] {
  return [
    ...(
      [
        [-32012, 'getLogs request exceeded max allowed range'],
        [-32005, 'Exceeded max range limit for eth_getLogs: 50'],
        [-32005, 'Exceeded max range limit for eth_getLogs: 1000'],
        [-32005, 'limit exceeded'],
        [-32000, 'too wide blocks range, the limit is 50'],
        [-32000, 'query spans 100 blocks, but only 50 are allowed for this request; narrow the block range'],
        [-32000, 'maximum [begin, end] blocks distance: 50'],
        [-32000, 'Please specify a smaller block range'],
        [-32000, 'range requested is above the capacity of this plan: 500 blocks'],
        [-32602, 'query exceeds limit'],
        [-32600, 'no batch for you'],
        [-32601, 'method eth_getLogs is not available for such a range'],
        [-32603, 'internal error'],
        [-32000, ''],
        [-32000, '查询范围过大'],
        [-32000, 'header not found'],
        [-32000, 'execution reverted'],
        [-32000, 'Too many requests, try again in 1 s'],
        [429, 'rate limited'],
        [0, 'block 3 is the last one'],
      ] as const
    ).map(([code, message]) => [`${code} "${message}"`, error(code, message)] as const),
    ['HTTP 400 with a page', http(400, '<html><body><h1>Bad Request</h1></body></html>')],
    ['HTTP 400 with JSON', http(400, '{"message":"range too wide","statusCode":400}')],
    ['HTTP 400 with an error', http(400, '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no"}}')],
    ['HTTP 403', http(403, '')],
    ['HTTP 413', http(413, 'Payload Too Large')],
    ['HTTP 429', http(429, 'slow down')],
    ['HTTP 500', http(500, '')],
    ['HTTP 503', http(503, 'upstream connect error')],
    ['a page instead of JSON', http(200, '<html>too much</html>')],
    ['an answer that is cut off', { kind: 'cut-in-body' }],
    ['half an answer', { kind: 'half' }],
    ['no answer', { kind: 'hang' }],
  ]
}
