import { describe, expect, it } from 'vitest'
import { type Retry, refusedLimit, retryOf } from '#chain/logs/refusal.ts'
import type { LogLimit } from '#rpc/logLimit.ts'
import type { RpcFault } from '#rpc/rpcFault.ts'

const blocks: LogLimit = { kind: 'blocks', max: 10 }
const addressRequired: LogLimit = { kind: 'address-required' }
const density: LogLimit = { kind: 'density' }

/** What each fault says of the sizes that a provider answers, and how the query is asked again: by topic, then by address. */
const CASES: readonly (readonly [RpcFault, LogLimit | null, Retry | null, LogLimit | null, Retry | null])[] = [
  [{ kind: 'too-large', limit: blocks }, blocks, 'in-parts', blocks, 'in-parts'],
  [{ kind: 'too-large', limit: addressRequired }, addressRequired, 'by-address', addressRequired, 'in-parts'],
  [{ kind: 'timeout' }, addressRequired, 'by-address', density, 'in-parts'],
  [{ kind: 'rejected', code: -32_602, text: 'no' }, addressRequired, 'by-address', null, null],
  [{ kind: 'node', code: -32_000, text: 'no' }, addressRequired, 'by-address', null, null],
  [{ kind: 'http', status: 500 }, addressRequired, 'by-address', null, null],
  [{ kind: 'network' }, null, null, null, null],
  [{ kind: 'rate-limited', retryAfterMs: null }, null, null, null, null],
  [{ kind: 'garbled', what: 'a log' }, null, null, null, null],
  [{ kind: 'missing', what: 'block 1' }, null, null, null, null],
  [{ kind: 'inconsistent', what: 'another block 1' }, null, null, null, null],
  [{ kind: 'wrong-chain', expected: 1, actual: 2 }, null, null, null, null],
  [{ kind: 'closed' }, null, null, null, null],
]

describe('a query of logs that failed', () => {
  it.each(CASES)('with %o', (fault, limitByTopic, retryByTopic, limitByAddress, retryByAddress) => {
    expect(refusedLimit('topic', fault)).toEqual(limitByTopic)
    expect(retryOf('topic', fault, 1)).toBe(retryByTopic)
    expect(refusedLimit('address', fault)).toEqual(limitByAddress)
    expect(retryOf('address', fault, 1)).toBe(retryByAddress)
  })

  it('is no longer split when the third one in a row times out', () => {
    expect([1, 2, 3].map(count => retryOf('address', { kind: 'timeout' }, count))).toEqual(['in-parts', 'in-parts', null])
  })

  it('by an error that is no fault of a provider is not asked again', () => {
    expect([refusedLimit('topic', null), retryOf('topic', null, 1)]).toEqual([null, null])
  })
})
