import { expect, test } from 'vitest'
import { TokenwireError } from '#errors'
import { type LogLimit, RpcError, type RpcFault } from '#rpc/rpcFault.ts'
import { causeOf } from '#sync/health.ts'

const WRITTEN = 'Basic YWxpY2U6b3BlbnNlc2FtZQ'
const FAULTS: readonly RpcFault[] = [
  { kind: 'timeout' },
  { kind: 'network' },
  { kind: 'cut-off' },
  { kind: 'http', status: 418, text: WRITTEN },
  { kind: 'rate-limited', retryAfterMs: 4_180_000, text: WRITTEN },
  { kind: 'rate-limited', retryAfterMs: null, text: WRITTEN },
  { kind: 'garbled', what: WRITTEN },
  { kind: 'missing', what: WRITTEN },
  { kind: 'inconsistent', what: WRITTEN },
  { kind: 'too-large', limit: 'blocks', cause: { kind: 'http', status: 418, text: WRITTEN } },
  { kind: 'node', code: 418, text: WRITTEN },
  { kind: 'rejected', code: 418, text: WRITTEN },
  { kind: 'wrong-chain', expected: 1, actual: 418 },
  { kind: 'closed' },
]

test.for(FAULTS)('shows of a fault of the kind $kind no more than the kind, and keeps the rest for operators', fault => {
  const error = new RpcError(fault, 'rpc-2')
  const { shown, full } = causeOf(error)
  expect(shown).toMatch(/^rpc-2: [a-zA-Z ]+$/)
  expect(shown).not.toContain(WRITTEN)
  expect(full).toBe(error.message)
})

test.each<readonly [LogLimit, shown: string]>([
  ['blocks', 'the log query spans too many blocks for it'],
  ['addresses', 'the log query names too many addresses for it'],
  ['address-required', 'it refuses log queries without addresses'],
])('says what a provider refuses in a log query, and to operators in which words: %s', (limit, shown) => {
  const cause: RpcFault = { kind: 'node', code: -32_012, text: 'the range is 50' }
  expect(causeOf(new RpcError({ kind: 'too-large', limit, cause }, 'rpc-1'))).toEqual({
    shown: `rpc-1: ${shown}`,
    full: `rpc-1: ${shown} (the node failed (-32012): the range is 50)`,
  })
})

test('shows no message of another error but how deep a reorg is', () => {
  const tooDeep = new TokenwireError('reorg_too_deep', 'the chain has replaced 8 indexed block(s) up to block 20')
  expect(causeOf(tooDeep).shown).toBe(tooDeep.message)
  for (const code of ['database_unavailable', 'database_taken', 'rpc_inconsistent', 'rpc_unavailable', 'chain_mismatch'] as const) {
    const { shown, full } = causeOf(new TokenwireError(code, WRITTEN))
    expect(shown).not.toContain(WRITTEN)
    expect(full).toBe(WRITTEN)
  }
  for (const thrown of [new TypeError(WRITTEN), WRITTEN])
    expect(causeOf(thrown)).toEqual({ shown: 'a step of indexing failed; the log has the error', full: WRITTEN })
})
