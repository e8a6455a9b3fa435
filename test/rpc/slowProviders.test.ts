import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createChainSource } from '#chain/chainSource.ts'
import type { Clock } from '#clock'
import { createRpc } from '#rpc/rpc.ts'
import { silentLogger } from '#test/support/database.ts'
import { type FakeCall, type FakeProvider, startFakeProvider } from '#test/support/fakeProvider.ts'
import { createSimulatedChain, testAddress } from '#test/support/simulatedChain.ts'

/* The first of three providers that never answers cost 12 to 17 blocks of a block per second. In simulated time. */

const LATENCY_MS = 40
const POLL_MS = 200
const SECONDS = 40

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'], now: 1_000_000 })
})
afterEach(() => {
  vi.useRealTimers()
})

const nowMs = () => Date.now()
const sleep = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))
const clock: Clock = { nowMs, epochMs: nowMs, sleep }

const prompt = () => 0
const never = () => Number.POSITIVE_INFINITY
const notFor = (method: string, ms: number) => (call: FakeCall) => (call.method === method ? ms : 0)

describe('a chain with a block per second', () => {
  it.each([
    ['no provider is late', [prompt, prompt, prompt], 500],
    ['the first provider never answers', [never, prompt, prompt], 1_500],
    ['the first two providers never answer', [never, never, prompt], 2_500],
    ['the first provider never answers log queries', [notFor('eth_getLogs', never()), prompt, prompt], 1_500],
    ['the first provider never answers for the head', [notFor('eth_getBlockByNumber', never()), prompt, prompt], 1_500],
    ['the first provider is five seconds late', [() => 5_000, prompt, prompt], 1_500],
    ['the first of two providers is two seconds late', [() => 2_000, prompt], 2_500],
  ])('is followed while %s', async (_, late, mostMs) => {
    const { delayMs, requests } = await follow(late)
    expect(delayMs).toBeLessThanOrEqual(mostMs)
    // A poll each 200 ms, and two requests a block.
    expect(requests.reduce((sum, one) => sum + one, 0)).toBeLessThan(400)
  })
})

interface Followed {
  /** The longest time from a new block to its logs. */
  readonly delayMs: number
  /** Of each provider. */
  readonly requests: readonly number[]
}

/** Follows a chain with a block per second; from the tenth second on providers may be late, by their position and a call. */
async function follow(lateMs: readonly ((call: FakeCall) => number)[]): Promise<Followed> {
  const chain = createSimulatedChain({ blockSeconds: 1 })
  const mine = () => chain.mine([{ address: testAddress(1), topics: [] }])
  mine()
  const providers: FakeProvider[] = []
  for (const _ of lateMs) providers.push(await startFakeProvider({ chain }))
  const startedAtMs = nowMs()
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { host } = new URL(new Request(input).url)
    const index = providers.findIndex(({ url }) => new URL(url).host === host)
    const body = [JSON.parse(init?.body as string) as FakeCall | FakeCall[]].flat()
    const late = nowMs() - startedAtMs < 10_000 ? 0 : Math.max(...body.map(call => lateMs[index]?.(call) ?? 0))
    const aborted = new Promise<never>((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error)))
    await Promise.race([sleep(LATENCY_MS + Math.min(late, 1_000_000)), aborted])
    return providers[index]?.fetch(input, init) ?? expect.unreachable('another host')
  }
  const rpc = createRpc({ urls: providers.map(({ url }) => url), chainId: 1, logger: silentLogger, clock, fetch })
  const source = createChainSource({ rpc })
  let [next, delayMs] = [1, 0]
  const index = async () => {
    await rpc.connect()
    const minedAtMs = [0, nowMs()]
    const mining = setInterval(() => minedAtMs.push(nowMs()) && mine(), 1_000)
    while (nowMs() - startedAtMs < SECONDS * 1_000) {
      const tip = await source.tip({ confirmations: 0, announced: false, next }).catch(() => null)
      const confirmed = tip?.confirmed.number ?? 0
      while (next <= confirmed) {
        if (tip?.block?.header.number !== next) await source.blockWithLogs(next)
        delayMs = Math.max(delayMs, nowMs() - (minedAtMs[next++] ?? 0))
      }
      await sleep(POLL_MS)
    }
    clearInterval(mining)
    return 'ended'
  }
  const indexing = index()
  do await vi.advanceTimersByTimeAsync(10)
  while ((await Promise.race([indexing, nextTurn('goes on')])) !== 'ended')
  rpc.close()
  for (const provider of providers) await provider.stop()
  return { delayMs: Math.max(delayMs, nowMs() - startedAtMs - next * 1_000), requests: providers.map(one => one.requests()) }
}
