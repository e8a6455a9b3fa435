import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { hedge } from '#rpc/provider.ts'
import { RpcError } from '#rpc/rpcFault.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: 0 })
})
afterEach(() => {
  vi.useRealTimers()
})

const TIMEOUT = new RpcError({ kind: 'timeout' })

/** Sends that are answered when they are told to; repeated at these looks. */
function open(repeatedAt: readonly number[]) {
  const sends: { readonly atMs: number; readonly outcome: PromiseWithResolvers<string> }[] = []
  const send = () => {
    const outcome = Promise.withResolvers<string>()
    sends.push({ atMs: Date.now(), outcome })
    return outcome.promise
  }
  const answer = hedge(send, { everyMs: 1_000, maxSends: 3, mayRepeat: look => repeatedAt.includes(look) })
  return {
    answer,
    at: (index: number) => sends[index]?.outcome ?? expect.unreachable('not sent'),
    times: () => sends.map(({ atMs }) => atMs),
  }
}

describe('hedging', () => {
  it('sends a request once that is answered soon', async () => {
    const { answer, at, times } = open([1, 2])
    await vi.advanceTimersByTimeAsync(999)
    at(0).resolve('an answer')
    await expect(answer).resolves.toBe('an answer')
    await vi.advanceTimersByTimeAsync(60_000)
    expect([times(), vi.getTimerCount()]).toEqual([[0], 0])
  })

  it('sends it again where it may, and not for ever', async () => {
    const { answer, at, times } = open([2, 3, 5, 6])
    await vi.advanceTimersByTimeAsync(60_000)
    expect(times()).toEqual([0, 2_000, 3_000])
    at(1).resolve('the second')
    await expect(answer).resolves.toBe('the second')
  })

  it('fails with the first error that is no timeout', async () => {
    const { answer, at } = open([1])
    await vi.advanceTimersByTimeAsync(1_000)
    at(0).reject(TIMEOUT)
    at(1).reject(new RpcError({ kind: 'network' }))
    await expect(answer).rejects.toMatchObject({ fault: { kind: 'network' } })
  })

  it('times out when the last one in flight does', async () => {
    const { answer, at } = open([1])
    await vi.advanceTimersByTimeAsync(1_000)
    at(0).reject(TIMEOUT)
    at(1).reject(TIMEOUT)
    await expect(answer).rejects.toBe(TIMEOUT)
    expect(vi.getTimerCount()).toBe(0)
  })
})
