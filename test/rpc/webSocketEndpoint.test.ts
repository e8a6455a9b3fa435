import { setImmediate as nextTurn } from 'node:timers/promises'
import { inspect } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createRpc, type Rpc } from '#rpc/rpc.ts'
import { blockByTag } from '#rpc/rpcCalls.ts'
import { type FakeProvider, startFakeProvider } from '#test/support/fakeProvider.ts'
import { POLL_LIMIT_MS } from '#test/support/limits.ts'
import { createLogLines } from '#test/support/logLines.ts'
import { createManualClock, type ManualClock } from '#test/support/manualClock.ts'
import { createSimulatedChain } from '#test/support/simulatedChain.ts'
import { callQuota } from '#test/support/weakness.ts'

const running: { stop(): void | Promise<void> }[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const one of running.splice(0).reverse()) await one.stop()
})

/** The time of this process stands still where a test is about time-outs: an answer of a busy machine is not late. */
const TIMERS: ('setTimeout' | 'clearTimeout' | 'setInterval' | 'clearInterval')[] = [
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
]
/** Lets time pass, and what is on its way between the sockets arrive. */
const pass = async (ms: number): Promise<void> => {
  vi.advanceTimersByTime(ms)
  for (let turn = 0; turn < 20; turn++) await nextTurn()
}
/** The error of a question that fails when time passes. */
const failureInTime = async (question: Promise<unknown>): Promise<unknown> => {
  const errors: unknown[] = []
  question.then(
    () => errors.push('it was answered'),
    (error: unknown) => errors.push(error),
  )
  while (errors.length === 0) await pass(1_000)
  return errors[0]
}

const start = async (timeoutMs = POLL_LIMIT_MS): Promise<{ provider: FakeProvider; rpc: Rpc; clock: ManualClock }> => {
  const chain = createSimulatedChain()
  for (let count = 0; count < 5; count++) chain.mine()
  const clock = createManualClock()
  const provider = await startFakeProvider({ chain })
  const { logger } = createLogLines()
  const rpc = createRpc({ urls: [provider.webSocketUrl], chainId: null, logger, clock, timeoutMs })
  running.push(provider, { stop: () => rpc.close() })
  await rpc.connect()
  return { provider, rpc, clock }
}
const headNumber = (rpc: Rpc) =>
  rpc.ask(async provider => Number(((await provider.call(blockByTag('latest'))) as { number: string }).number))

describe('a provider over WebSocket', () => {
  it('answers calls, many at once', async () => {
    const { rpc } = await start()
    const numbers = await rpc.ask(provider =>
      provider.calls(Array.from({ length: 6 }, (_, number) => ({ method: 'eth_getBlockByNumber', params: [`0x${number}`, false] }))),
    )
    expect((numbers as { number: string }[]).map(({ number }) => Number(number))).toEqual([0, 1, 2, 3, 4, 5])
  })

  it('is connected to anew after it has closed the socket', async () => {
    const { provider, rpc } = await start()
    provider.dropSockets()
    await expect.poll(() => headNumber(rpc).catch(() => 'not yet')).toBe(5)
  })

  it('is connected to anew after it has let a call time out', async () => {
    const { provider, rpc } = await start()
    vi.useFakeTimers({ toFake: TIMERS })
    provider.setMisbehaviour(() => ({ kind: 'hang' }))
    expect(await failureInTime(headNumber(rpc))).toMatchObject({ message: expect.stringContaining('rpc-1: no answer in time') as unknown })
    vi.useRealTimers()
    provider.setMisbehaviour(undefined)
    await expect(headNumber(rpc)).resolves.toBe(5)
  })

  it('gets a lost call again, on the same socket', async () => {
    const { provider, rpc } = await start()
    vi.useFakeTimers({ toFake: TIMERS })
    let lost = 1
    const before = provider.calls.length
    provider.setMisbehaviour(() => (lost-- > 0 ? { kind: 'hang' } : undefined))
    const answer = headNumber(rpc)
    await expect.poll(() => provider.calls.length).toBe(before + 1)
    while (provider.calls.length === before + 1) await pass(100)
    await expect(answer).resolves.toBe(5)
    expect(provider.calls.length - before).toBe(2)
    expect(rpc.health()[0]?.errorRate).toBe(0)
  })

  it('gets no more calls at a time than it answers', async () => {
    const { provider, rpc, clock } = await start()
    const quota = callQuota(5, () => clock.nowMs())
    provider.setMisbehaviour(call => quota(call, provider.requests()))
    const before = provider.calls.length
    const numbers = Array.from({ length: 40 }, (_, index) => index % 5)
    const answers = await rpc.ask(({ calls }) =>
      calls(numbers.map(number => ({ method: 'eth_getBlockByNumber', params: [`0x${number}`, false] }))),
    )
    expect((answers as { number: string }[]).map(({ number }) => Number(number))).toEqual(numbers)
    // Every second some too many, once all of them.
    expect(provider.calls.length - before).toBeLessThan(120)
    expect(clock.waitedMs()).toBeCloseTo(7_000)
    expect(rpc.health()[0]?.batchSize).toBeLessThan(8)
  })

  it('fails calls that are under way when the socket closes', async () => {
    const { provider, rpc } = await start()
    provider.setMisbehaviour(() => ({ kind: 'reset' }))
    await expect(headNumber(rpc)).rejects.toThrow('rpc-1: the connection failed')
  })

  it('has its errors read like those over HTTP, without its URL', async () => {
    const { provider, rpc } = await start()
    provider.setMisbehaviour(() => ({ kind: 'error', code: -32603, message: `key ${provider.secret} at ${provider.webSocketUrl}` }))
    const error = await headNumber(rpc).catch((caught: unknown) => caught)
    expect(inspect(error, { depth: 10 })).toContain('the node failed (-32603): key <redacted> at <url>')
    await provider.stop()
    vi.useFakeTimers({ toFake: TIMERS })
    const gone = await failureInTime(headNumber(rpc))
    expect(inspect(gone, { depth: 10, showHidden: true })).not.toContain(provider.secret)
    expect(gone).toMatchObject({ code: 'rpc_unavailable' })
  })

  it('pushes heads until it is told to stop', async () => {
    const { provider, rpc } = await start()
    let heads = 0
    const unsubscribe = await rpc.subscribeHeads(
      () => heads++,
      () => expect.unreachable('the subscription was ended on purpose'),
    )
    provider.pushHead()
    provider.pushHead()
    await expect.poll(() => heads).toBe(2)
    unsubscribe?.()
    await expect.poll(() => provider.calls.at(-1)?.method).toBe('eth_unsubscribe')
    provider.pushHead()
    await headNumber(rpc)
    expect(heads).toBe(2)
  })

  // viem's client read a member of it where no code caught the error: the process ended.
  it.each(['null', '5', '[]', '"text"', 'nothing', '{"method":"eth_subscription"}', '{"method":"eth_subscription","params":null}'])(
    'may say %s, which answers nothing',
    async text => {
      const { provider, rpc } = await start()
      const told: string[] = []
      await rpc.subscribeHeads(
        () => told.push('head'),
        () => told.push('end'),
      )
      provider.blurt(text)
      provider.pushHead()
      await expect.poll(() => told).toEqual(['head'])
      await expect(headNumber(rpc)).resolves.toBe(5)
    },
  )

  it('says once when the subscription breaks', async () => {
    const { provider, rpc } = await start()
    let ends = 0
    await rpc.subscribeHeads(
      () => undefined,
      () => ends++,
    )
    provider.dropSockets()
    await expect.poll(() => ends).toBe(1)
    await expect.poll(() => headNumber(rpc).catch(() => 'not yet')).toBe(5)
    expect(ends).toBe(1)
  })

  it('refuses a subscription with an error', async () => {
    const { provider, rpc } = await start()
    provider.setMisbehaviour(() => ({ kind: 'error', code: -32601, message: 'no subscriptions here' }))
    let ends = 0
    await expect(
      rpc.subscribeHeads(
        () => undefined,
        () => ends++,
      ),
    ).rejects.toThrow('rpc-1')
  })

  it('keeps no socket open after closing', async () => {
    const { provider, rpc } = await start()
    rpc.close()
    await expect(headNumber(rpc)).rejects.toMatchObject({ fault: { kind: 'closed' } })
    await expect(provider.stop()).resolves.toBeUndefined()
  })
})
