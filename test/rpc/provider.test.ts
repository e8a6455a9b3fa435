import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Provider, type ProviderCallOptions } from '#rpc/provider.ts'
import type { RpcAnswers, RpcCall } from '#rpc/rpcEndpoint.ts'
import { RpcError, type RpcFault } from '#rpc/rpcFault.ts'
import { silentLogger } from '#test/support/database.ts'
import { createManualClock } from '#test/support/manualClock.ts'

const TIMEOUT_MS = 10_000
const REFUSED = new RpcError({ kind: 'rate-limited', retryAfterMs: null, text: '' }, 'rpc-1')
const callsOf = (count: number): RpcCall[] => Array.from({ length: count }, (_, index) => ({ method: 'eth_chainId', params: [index] }))
const answersTo = (calls: readonly RpcCall[]): RpcAnswers => ({ results: calls.map(({ params: [index] }) => index), refusal: null })

/** A provider on a wire that answers so; `sizes` are the calls of each request so far. */
function open(send: (calls: readonly RpcCall[], signal: AbortSignal) => RpcAnswers | Promise<RpcAnswers>) {
  const sizes: number[] = []
  const clock = createManualClock()
  const endpoint = {
    send: async (calls: readonly RpcCall[], signal: AbortSignal) => {
      sizes.push(calls.length)
      return send(calls, signal)
    },
    subscribeHeads: null,
    close: () => {},
  }
  const provider = new Provider({ name: 'rpc-1', endpoint, clock, logger: silentLogger, timeoutMs: TIMEOUT_MS })
  return { provider, sizes, clock }
}

/** Persists until it was asked so often. */
const persisting = (times: number): ProviderCallOptions => {
  let left = times
  return { sendAgain: async () => left-- > 0 }
}

describe('calls to a provider', () => {
  it('go into as few requests as the limits allow, in their order', async () => {
    const { provider, sizes } = open(answersTo)
    await expect(provider.call(callsOf(250))).resolves.toEqual(Array.from({ length: 250 }, (_, index) => index))
    expect(sizes).toEqual([100, 100, 50])
  })

  it('go into smaller requests of a provider that refuses large ones, which is no failure', async () => {
    const { provider, sizes } = open(calls => {
      if (calls.length > 10) throw new RpcError({ kind: 'node', code: 0, text: 'no' }, 'rpc-1')
      return answersTo(calls)
    })
    await expect(provider.call(callsOf(30))).resolves.toEqual(Array.from({ length: 30 }, (_, index) => index))
    // Each refused size is tried twice, with one call in between.
    expect(sizes.slice(0, 8)).toEqual([30, 1, 30, 15, 1, 15, 7, 8])
    expect(provider.health.consecutiveFailures).toBe(0)
  })

  it('fail with the fault of the first one when that is refused alone, too, and stay together', async () => {
    const { provider, sizes } = open(calls => {
      throw new RpcError({ kind: 'node', code: calls.length, text: 'no' }, 'rpc-1')
    })
    await expect(provider.call(callsOf(20))).rejects.toMatchObject({ fault: { kind: 'node', code: 1 } })
    expect(sizes).toEqual([20, 1])
    expect(provider.limits.calls.size).toBe(100)
  })

  it('stay together when they are refused only once', async () => {
    let refusals = 1
    const { provider, sizes } = open(calls => {
      if (refusals-- > 0) throw new RpcError({ kind: 'http', status: 503, text: '' }, 'rpc-1')
      return answersTo(calls)
    })
    await expect(provider.call(callsOf(20))).resolves.toHaveLength(20)
    expect(sizes).toEqual([20, 1, 20])
    expect(provider.limits.calls.size).toBe(100)
  })

  it('keep the answers that came before a refusal, of more calls than belong together', async () => {
    const { provider, sizes, clock } = open(calls => ({
      results: answersTo(calls).results.slice(0, 7),
      refusal: calls.length > 7 ? REFUSED : null,
    }))
    await expect(provider.call(callsOf(20), persisting(9))).resolves.toEqual(Array.from({ length: 20 }, (_, index) => index))
    expect(sizes).toEqual([20, 7, 6])
    expect(clock.waitedMs()).toBe(1_000)
  })

  it('that belong together are sent again together', async () => {
    const seen: unknown[][] = []
    const { provider } = open(calls => {
      seen.push(calls.map(({ params: [index] }) => index))
      return seen.length === 1 ? { results: [0, 1], refusal: REFUSED } : answersTo(calls)
    })
    await expect(provider.call(callsOf(4), persisting(1))).resolves.toEqual([0, 1, 2, 3])
    expect(seen).toEqual([
      [0, 1, 2, 3],
      [0, 1, 2, 3],
    ])
  })

  it.each<[RpcFault, number]>([
    [{ kind: 'timeout' }, 2],
    [{ kind: 'network' }, 2],
    [{ kind: 'cut-off' }, 2],
    [{ kind: 'rate-limited', retryAfterMs: 0, text: '' }, 2],
    // Answers: the question may have to be another one.
    [{ kind: 'http', status: 503, text: '' }, 1],
    [{ kind: 'garbled', what: '' }, 1],
    [{ kind: 'missing', what: '' }, 1],
  ])('that end in %o are sent %i times', async (fault, times) => {
    const { provider, sizes } = open(() => {
      throw new RpcError(fault, 'rpc-1')
    })
    await expect(provider.call(callsOf(1), persisting(1))).rejects.toMatchObject({ fault })
    expect(sizes).toHaveLength(times)
  })

  it('wait for a silence to end, unless another provider can be asked or it is too long', async () => {
    let retryAfterMs = 3_000
    const { provider, sizes, clock } = open(() => ({
      results: [],
      refusal: new RpcError({ kind: 'rate-limited', retryAfterMs, text: '' }),
    }))
    await expect(provider.call(callsOf(1))).rejects.toMatchObject({ fault: { retryAfterMs: 3_000 } })
    await expect(provider.call(callsOf(1), { hasAnother: () => true })).rejects.toMatchObject({ fault: { kind: 'rate-limited' } })
    expect([sizes.length, clock.waitedMs()]).toEqual([1, 0])
    retryAfterMs = 60_000
    await expect(provider.call(callsOf(1))).rejects.toMatchObject({ fault: { retryAfterMs: 60_000 } })
    expect([sizes.length, clock.waitedMs()]).toEqual([2, 3_000])
    await expect(provider.call(callsOf(1))).rejects.toMatchObject({ fault: { kind: 'rate-limited', retryAfterMs: 60_000 } })
    expect(sizes).toHaveLength(2)
    expect(provider.report()).toMatchObject({ concurrency: 1, silentSeconds: 60, healthy: false })
  })
})

describe('a request that is not answered', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** Hangs until the signal ends it. */
  const hang = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error))
    })

  it('is sent again when a later one was answered, and ends with the answer to its repetition', async () => {
    const signals: AbortSignal[] = []
    const { provider, sizes } = open((calls, signal) => {
      if (calls.length === 1) signals.push(signal)
      return calls.length === 1 && signals.length < 2 ? hang(signal) : answersTo(calls)
    })
    const answer = provider.call(callsOf(1))
    await vi.advanceTimersByTimeAsync(2_500)
    expect(sizes).toEqual([1])
    await provider.call(callsOf(2))
    await vi.advanceTimersByTimeAsync(500)
    await expect(answer).resolves.toEqual([0])
    expect(sizes).toEqual([1, 2, 1])
    expect(signals.every(({ aborted }) => aborted)).toBe(true)
    expect([provider.health.consecutiveFailures, vi.getTimerCount()]).toEqual([0, 0])
  })

  it('is sent again once when nothing is answered, and times out as one failure', async () => {
    const { provider, sizes } = open((_, signal) => hang(signal))
    const answer = provider.call(callsOf(1)).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(TIMEOUT_MS)
    await expect(answer).resolves.toMatchObject({ fault: { kind: 'timeout' } })
    expect(sizes).toHaveLength(2)
    // A timeout counts as two.
    expect([provider.health.consecutiveFailures, vi.getTimerCount()]).toEqual([2, 0])
  })

  it('is not sent again while there is no room for more requests', async () => {
    let isRefusing = true
    const { provider, sizes, clock } = open((_, signal) => (isRefusing ? { results: [], refusal: REFUSED } : hang(signal)))
    await expect(provider.call(callsOf(1))).rejects.toBe(REFUSED)
    isRefusing = false
    clock.advance(1_000)
    const answer = provider.call(callsOf(1)).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(TIMEOUT_MS)
    await expect(answer).resolves.toMatchObject({ fault: { kind: 'timeout' } })
    expect(sizes).toHaveLength(2)
  })

  it('ends when the provider is closed', async () => {
    const { provider } = open((_, signal) => hang(signal))
    const answer = provider.call(callsOf(1), persisting(0)).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(10)
    provider.close()
    await expect(answer).resolves.toMatchObject({ fault: { kind: 'closed' } })
  })
})
