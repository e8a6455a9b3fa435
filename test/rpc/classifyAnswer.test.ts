import { describe, expect, it } from 'vitest'
import { classifyHttpStatus, classifyNodeError } from '#rpc/rpcEndpoint.ts'

const OK = { status: 200, retryAfterMs: null }

describe('classifyNodeError', () => {
  const kindOf = (method: string, code: number, text: string) => classifyNodeError(method, { code, text }, OK).kind

  it.each([
    [429, 'anything'],
    [-32005, 'limit exceeded'],
    [-32007, '50/second request limit reached'],
    [-32000, 'Your app has exceeded its compute units per second capacity'],
    [-32603, 'Too Many Requests'],
    [0, 'daily request count exceeded, request rate limited'],
  ])('takes %i "%s" as a rate limit', (code, text) => {
    expect(kindOf('eth_getBlockByNumber', code, text)).toBe('rate-limited')
  })

  it('keeps what the header says beside a rate limit in the body', () => {
    const fault = classifyNodeError('eth_call', { code: -32000, text: 'slow down' }, { status: 429, retryAfterMs: 4_000 })
    expect(fault).toEqual({ kind: 'rate-limited', retryAfterMs: 4_000, text: 'slow down' })
  })

  it.each([
    ['eth_getLogs', -32000, 'unknown block'],
    ['eth_getLogs', -32000, 'block range extends beyond current head block'],
    ['eth_getBlockByNumber', -39001, 'Unknown block'],
    ['eth_call', -32000, 'header not found'],
    ['eth_getLogs', -32000, 'requested block is not yet available'],
  ])('takes %s %i "%s" as a block that the node does not have', (method, code, text) => {
    expect(kindOf(method, code, text)).toBe('missing')
  })

  it.each([
    [3, 'execution reverted: no'],
    [-32000, 'execution reverted'],
    [-32601, 'the method eth_foo does not exist/is not available'],
    [-32602, 'invalid argument 0: hex string without 0x prefix'],
  ])('takes %i "%s" as a refusal that is the same everywhere', (code, text) => {
    expect(kindOf('eth_call', code, text)).toBe('rejected')
  })

  it('takes anything else as trouble of this node', () => {
    expect(kindOf('eth_getLogs', -32603, 'internal error')).toBe('node')
    expect(kindOf('eth_getLogs', -32000, 'no backend is currently healthy to serve traffic')).toBe('node')
  })
})

describe('classifyHttpStatus', () => {
  it('tells the statuses apart, and keeps the words', () => {
    const at = (status: number) => classifyHttpStatus({ status, retryAfterMs: 7 }, 'so it says')
    expect(at(429)).toEqual({ kind: 'rate-limited', retryAfterMs: 7, text: 'so it says' })
    for (const status of [401, 413, 503]) expect(at(status)).toEqual({ kind: 'http', status, text: 'so it says' })
  })
})
