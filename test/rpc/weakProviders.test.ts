import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type ChainSource, createChainSource } from '#chain/chainSource.ts'
import type { Clock } from '#clock'
import { createRpc } from '#rpc/rpc.ts'
import { silentLogger } from '#test/support/database.ts'
import { type FakeProvider, type FakeProviderOptions, startFakeProvider } from '#test/support/fakeProvider.ts'
import { createSimulatedChain, type NewLog, testAddress } from '#test/support/simulatedChain.ts'
import { both, callQuota, losing, rangeLimit, requestQuota, type Weakness } from '#test/support/weakness.ts'

/*
 * What providers cost that lose requests, or answer few at a time, in simulated time. A range of 950 blocks is 19 requests of 968 calls, 48
 * blocks with their logs, 8 at a time, are 96 requests; from a reliable provider both take half a second.
 */

const BLOCKS = 1_000
const RANGES_TO = BLOCKS - 50
const REPLACED = 48
const LATENCY_MS = 40
const speaker = testAddress(0)
const speak: NewLog = { address: speaker, topics: [`0x${'aa'.repeat(32)}`] }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'], now: 1_000_000 })
})
afterEach(() => {
  vi.useRealTimers()
})

const nowMs = () => Date.now()
const clock: Clock = {
  nowMs,
  epochMs: nowMs,
  sleep: ms => new Promise(resolve => setTimeout(resolve, ms)),
}

const calls = (perSecond: number) => ({ weakness: () => callQuota(perSecond, nowMs) })
const requests = (perSecond: number, headers = {}) => ({ weakness: () => requestQuota(perSecond, nowMs, headers) })
const dead = { weakness: () => losing(1, 'reset') }
const hung = { weakness: () => losing(1, 'hang') }
const reliable = {}
const threeCalls = { calls: 3, message: 'Batch of more than 3 requests are not allowed on free tier' }

it.each<[string, readonly ProviderSetting[], Most]>([
  ['reliable', [reliable], [19, 968, 0.6, 96, 0.6]],
  ['losing 30 % of the requests', [{ weakness: () => losing(0.3, 'reset') }], [40, 1_400, 3, 175, 5.5]],
  ['letting 30 % of the requests hang', [{ weakness: () => losing(0.3, 'hang') }], [33, 1_450, 40, 175, 65]],
  ['answering 5 calls a second', [calls(5)], [410, 1_900, 215, 135, 22]],
  ['answering 20 calls a second', [calls(20)], [230, 1_400, 53, 110, 5.5]],
  ['answering 50 calls a second', [calls(50)], [125, 1_250, 21, 105, 3]],
  ['answering 5 requests a second', [requests(5)], [27, 1_500, 4.5, 135, 22]],
  ['answering 20 requests a second', [requests(20)], [19, 968, 0.6, 120, 5]],
  ['answering 5 requests a second and saying Retry-After', [requests(5, { 'Retry-After': '1' })], [27, 1_500, 4.5, 135, 22]],
  ['limiting ranges without a number', [{ weakness: () => rangeLimit(10) }], [155, 1_250, 3, 96, 0.6]],
  ['limiting ranges and calls', [{ weakness: () => both(rangeLimit(37), callQuota(20, nowMs)) }], [275, 1_500, 58, 110, 5.5]],
  ['taking three calls in a request', [{ batchLimit: threeCalls }], [390, 1_500, 6.5, 96, 0.6]],
  ['taking three calls in a request and 20 a second', [{ batchLimit: threeCalls, ...calls(20) }], [415, 1_500, 56, 112, 5.5]],
  ['two, each answering 20 calls a second', [calls(20), calls(20)], [230, 1_650, 53, 120, 3.5]],
  ['three, each answering 5 requests a second', [requests(5), requests(5), requests(5)], [32, 1_750, 2, 215, 15]],
  ['answering 20 calls a second, beside a dead one', [calls(20), dead], [240, 1_650, 54, 127, 5.5]],
  ['dead, beside one that answers 20 calls a second', [dead, calls(20)], [250, 1_700, 56, 130, 6]],
  ['answering 5 requests a second, beside a hung one', [requests(5), hung], [38, 2_400, 25, 165, 41]],
  ['hung, beside a reliable one', [hung, reliable], [23, 1_000, 11, 120, 11]],
])(
  'the cost of a provider, or several: %s',
  async (_, settings, [rangeRequests, rangeCalls, rangeSeconds, blockRequests, blockSeconds]) => {
    const { ranges, blocks } = await costOf(settings)
    expect(ranges.requests).toBeLessThanOrEqual(rangeRequests)
    expect(ranges.calls).toBeLessThanOrEqual(rangeCalls)
    expect(ranges.seconds).toBeLessThanOrEqual(rangeSeconds)
    expect(blocks.requests).toBeLessThanOrEqual(blockRequests)
    expect(blocks.seconds).toBeLessThanOrEqual(blockSeconds)
  },
)

/** What was asked for, of all providers, and how long it took. */
interface Cost {
  readonly requests: number
  readonly calls: number
  readonly seconds: number
}

/** Lets time pass until the work has ended. */
async function inSimulatedTime<T>(work: Promise<T>): Promise<T> {
  const outcome = Promise.allSettled([work])
  for (let [ended] = [false]; !ended; ) {
    await vi.advanceTimersByTimeAsync(5)
    ended = await Promise.race([outcome.then(() => true), nextTurn(false)])
    if (nowMs() > 2_000_000) throw new Error('it takes longer than a quarter of an hour')
  }
  return work
}

/** As an indexer does: after a failure, all of it anew, a little later each time. */
async function stubbornly(work: () => Promise<void>): Promise<void> {
  for (let pauseMs = 200; ; pauseMs = Math.min(5_000, pauseMs * 2)) {
    try {
      await work()
      return
    } catch {
      await clock.sleep(pauseMs)
    }
  }
}

async function fetchRanges(source: ChainSource): Promise<void> {
  for (let [from, blocks] = [0, 100]; from <= RANGES_TO; [from, blocks] = [from + blocks, blocks * 4]) {
    const to = Math.min(from + blocks - 1, RANGES_TO)
    const [, end] = await source.headers([from, to])
    if (end === undefined) throw new Error('no end of the range')
    const { logs } = await source.logsInRange({ from, to, end, addresses: [speaker], maxLogs: 1e9 })
    expect(logs.map(({ blockNumber }) => blockNumber)).toEqual(
      Array.from({ length: to - from + 1 }, (_, index) => from + index).filter(n => n > 0),
    )
    await source.headers(logs.map(({ blockNumber }) => blockNumber))
    await source.headers([from, to])
  }
}

async function fetchBlocks(source: ChainSource): Promise<void> {
  for (let from = BLOCKS - REPLACED + 1; from <= BLOCKS; from += 8)
    await Promise.all(Array.from({ length: 8 }, (_, index) => source.blockWithLogs(from + index)))
}

type ProviderSetting = { readonly weakness?: () => Weakness } & Pick<FakeProviderOptions, 'batchLimit'>

async function costOf(settings: readonly ProviderSetting[]): Promise<{ readonly ranges: Cost; readonly blocks: Cost }> {
  const chain = createSimulatedChain()
  for (let count = 0; count < BLOCKS; count++) chain.mine([speak])
  const providers: FakeProvider[] = []
  for (const { weakness: _, ...options } of settings) providers.push(await startFakeProvider({ chain, ...options }))
  const byHost = new Map(providers.map(provider => [new URL(provider.url).host, provider]))
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const provider = byHost.get(new URL(new Request(input).url).host) ?? expect.unreachable('another host')
    await clock.sleep(LATENCY_MS / 2)
    const response = await provider.fetch(input, init)
    await clock.sleep(LATENCY_MS / 2)
    return response
  }
  const rpc = createRpc({ urls: providers.map(({ url }) => url), chainId: 1, logger: silentLogger, clock, fetch, random: () => 1 })
  try {
    await inSimulatedTime(rpc.connect())
    for (const [index, { weakness }] of settings.entries()) {
      const provider = providers[index]
      const weak = weakness?.()
      provider?.setMisbehaviour(call => weak?.(call, provider.requests()))
    }
    const source = createChainSource({ rpc })
    const measure = async (work: (source: ChainSource) => Promise<void>): Promise<Cost> => {
      const asked = () => ({ requests: sum(providers.map(one => one.requests())), calls: sum(providers.map(one => one.calls.length)) })
      const [before, sinceMs] = [asked(), nowMs()]
      await inSimulatedTime(stubbornly(() => work(source)))
      const after = asked()
      return { requests: after.requests - before.requests, calls: after.calls - before.calls, seconds: (nowMs() - sinceMs) / 1_000 }
    }
    return { ranges: await measure(fetchRanges), blocks: await measure(fetchBlocks) }
  } finally {
    rpc.close()
    for (const provider of providers) await provider.stop()
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** A little more than measured: requests, calls and seconds of the ranges, then requests and seconds of the blocks. */
type Most = readonly [requests: number, calls: number, seconds: number, requests: number, seconds: number]
