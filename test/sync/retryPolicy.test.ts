import { describe, expect, it } from 'vitest'
import { TokenwireError } from '#errors'
import { RpcError } from '#rpc/rpcFault.ts'
import { retryPolicy } from '#sync/sync.ts'

describe('retryPolicy', () => {
  it.each([
    ['a provider that does not answer', new RpcError({ kind: 'timeout' })],
    ['a provider that contradicts itself', new RpcError({ kind: 'inconsistent', what: 'x' })],
    ['the database', Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })],
    ['a batch that does not fit the database', new TokenwireError('rpc_inconsistent', 'x', { retryable: true })],
    // Indexing stopped for good when the last of several attempts met it.
    ['a provider that turns to another chain for a while', new RpcError({ kind: 'wrong-chain', expected: 1, actual: 42 })],
    ['providers that all turn to another chain for a while', new TokenwireError('chain_mismatch', 'x', { retryable: true })],
    ['an error of no known kind', new TypeError('x')],
    ['something that is no error', 'x'],
  ])('tries for ever after trouble with %s', (_, error) => {
    for (const attempt of [1, 2, 10, 1_000, 1e9]) {
      const decision = retryPolicy(error, attempt, 1)
      expect(decision).toMatchObject({ kind: 'retry' })
      expect(decision.kind === 'retry' && decision.afterMs).toBeLessThanOrEqual(5_000)
    }
  })

  it('waits longer each time, spread by chance', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7].map(attempt => retryPolicy(new Error('x'), attempt, 1))
    expect(waits.map(decision => decision.kind === 'retry' && decision.afterMs)).toEqual([200, 400, 800, 1_600, 3_200, 5_000, 5_000])
    expect(retryPolicy(new Error('x'), 1, 0)).toEqual({ kind: 'retry', afterMs: 100 })
  })

  it('keeps the silence that all providers ask for', () => {
    expect(retryPolicy(new RpcError({ kind: 'rate-limited', retryAfterMs: 42_000, text: '' }), 1, 1)).toEqual({
      kind: 'retry',
      afterMs: 42_000,
    })
    expect(retryPolicy(new RpcError({ kind: 'rate-limited', retryAfterMs: null, text: '' }), 1, 1)).toEqual({ kind: 'retry', afterMs: 200 })
  })

  it('looks again now and then whether the chain has what is indexed', () => {
    expect(retryPolicy(new TokenwireError('reorg_too_deep', 'x'), 9, 1)).toEqual({ kind: 'retry', afterMs: 30_000 })
  })

  it('obeys no provider that asks for a day of silence', () => {
    expect(retryPolicy(new RpcError({ kind: 'rate-limited', retryAfterMs: 86_400_000, text: '' }), 1, 1)).toEqual({
      kind: 'retry',
      afterMs: 300_000,
    })
  })

  it.each(['chain_mismatch', 'config_invalid', 'database_foreign', 'not_supported'] as const)('gives up on %s', code => {
    expect(retryPolicy(new TokenwireError(code, 'x'), 1, 1)).toEqual({ kind: 'give-up' })
  })
})
