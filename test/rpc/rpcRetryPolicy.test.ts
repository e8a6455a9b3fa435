import { describe, expect, it } from 'vitest'
import { rpcRetryPolicy } from '#rpc/rpc.ts'
import type { RpcFault } from '#rpc/rpcFault.ts'

const NETWORK: RpcFault = { kind: 'network' }

describe('rpcRetryPolicy', () => {
  const situation = { failures: 1, providers: 2, hasAnother: true, othersAnswered: false, random: 1 }
  it('asks another provider at once', () => {
    expect(rpcRetryPolicy(NETWORK, situation)).toEqual({ kind: 'retry', afterMs: 0 })
  })

  it('waits a little longer each time when there is no other, and gives up after three', () => {
    const alone = { ...situation, providers: 1, hasAnother: false }
    expect([1, 2, 3].map(failures => rpcRetryPolicy(NETWORK, { ...alone, failures }))).toEqual([
      { kind: 'retry', afterMs: 100 },
      { kind: 'retry', afterMs: 200 },
      { kind: 'give-up' },
    ])
  })

  it('goes on for longer, and no more slowly than once a second, while other questions are answered', () => {
    const among = { ...situation, providers: 1, hasAnother: false, othersAnswered: true }
    const delays = Array.from({ length: 29 }, (_, before) => rpcRetryPolicy(NETWORK, { ...among, failures: before + 1 }))
    expect(delays.slice(0, 6)).toEqual([100, 200, 400, 800, 1_000, 1_000].map(afterMs => ({ kind: 'retry', afterMs })))
    expect(delays.at(-1)).toEqual({ kind: 'retry', afterMs: 1_000 })
    expect(rpcRetryPolicy(NETWORK, { ...among, failures: 30 })).toEqual({ kind: 'give-up' })
    // What may lie in the question, and what takes too long.
    const others: readonly RpcFault[] = [{ kind: 'timeout' }, { kind: 'missing', what: '' }, { kind: 'node', code: -32_000, text: '' }]
    for (const fault of others) expect(rpcRetryPolicy(fault, { ...among, failures: 3 })).toEqual({ kind: 'give-up' })
  })

  it('goes on for longer with a provider that only wants to be asked later', () => {
    const alone = { ...situation, providers: 1, hasAnother: false }
    const limited: RpcFault = { kind: 'rate-limited', retryAfterMs: null, text: '' }
    expect([3, 29, 30].map(failures => rpcRetryPolicy(limited, { ...alone, failures }).kind)).toEqual(['retry', 'retry', 'give-up'])
  })

  it('gives every provider its turn', () => {
    expect(rpcRetryPolicy(NETWORK, { ...situation, providers: 5, failures: 5 }).kind).toBe('retry')
    expect(rpcRetryPolicy(NETWORK, { ...situation, providers: 5, failures: 6 }).kind).toBe('give-up')
  })

  it('gives up what no other provider would answer', () => {
    expect(rpcRetryPolicy({ kind: 'rejected', code: 3, text: '' }, situation)).toEqual({ kind: 'give-up' })
    expect(rpcRetryPolicy({ kind: 'too-large', limit: 'blocks', cause: { kind: 'timeout' } }, situation)).toEqual({ kind: 'give-up' })
  })
})
