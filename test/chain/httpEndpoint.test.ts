import { describe, expect, it } from 'vitest'
import { createHttpEndpoint } from '#chain/httpEndpoint.ts'
import { parseLogs } from '#chain/rawLogs.ts'

const MIB = 1024 * 1024
const GET_LOGS = { method: 'eth_getLogs', params: [] }
const CHAIN_ID = { method: 'eth_chainId', params: [] }

/** An endpoint whose every request is answered by this. */
function endpointOf(answer: (init: RequestInit) => Response, url = 'https://rpc.example/key') {
  const requests: { readonly url: string; readonly init: RequestInit }[] = []
  const fetch: typeof globalThis.fetch = async (input, init = {}) => {
    requests.push({ url: new Request(input).url, init })
    return answer(init)
  }
  return { requests, endpoint: createHttpEndpoint({ name: 'rpc-1', url, nowMs: () => 0, fetch }) }
}

describe('an endpoint over HTTP', () => {
  it('sends the name and the password of its URL in a header', async () => {
    const { requests, endpoint } = endpointOf(
      () => new Response('{"jsonrpc":"2.0","id":1,"result":"0x1"}'),
      'https://me:s%40cret@rpc.example/v1',
    )
    expect(await endpoint.send([CHAIN_ID], 1_000)).toEqual(['0x1'])
    expect(requests[0]?.url).toBe('https://rpc.example/v1')
    expect(new Headers(requests[0]?.init.headers).get('Authorization')).toBe(`Basic ${btoa('me:s@cret')}`)
  })

  it('gives logs as text and all else parsed, in whichever order the members stand', async () => {
    const { endpoint } = endpointOf(() => new Response('[{"result":{"a":[1]},"id":2},{"id":1,"jsonrpc":"2.0","result":[]}]'))
    const [logs, other] = await endpoint.send([GET_LOGS, CHAIN_ID], 1_000)
    expect(parseLogs(logs)).toEqual([])
    expect(other).toEqual({ a: [1] })
  })

  it.each([
    ['says that it is', () => new Response('x', { headers: { 'Content-Length': String(49 * MIB) } })],
    ['turns out to be', () => new Response(Buffer.alloc(49 * MIB, ' '))],
  ])('takes an answer of logs that %s larger than 48 MiB for too many logs', async (_, answer) => {
    const { endpoint } = endpointOf(answer)
    await expect(endpoint.send([GET_LOGS], 1_000)).rejects.toMatchObject({ fault: { kind: 'too-large', limit: { kind: 'density' } } })
  })

  it.each([
    ['', 200, 'garbled'],
    ['<html>', 200, 'garbled'],
    ['{"id":1,"result":"0x1"} more', 200, 'garbled'],
    ['<html>', 502, 'http'],
    ['{"id":1,"error":{"code":-32005,"message":"slow down"}}', 429, 'rate-limited'],
    // JSON, but no JSON-RPC: its Retry-After went unheard.
    ['"slow down"', 429, 'rate-limited'],
    ['[]', 429, 'rate-limited'],
    ['null', 503, 'http'],
  ])('reads %j with the status %i as %s', async (body, status, kind) => {
    const { endpoint } = endpointOf(() => new Response(body, { status }))
    await expect(endpoint.send([CHAIN_ID], 1_000)).rejects.toMatchObject({ fault: { kind } })
  })
})
