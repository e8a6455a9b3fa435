import { describe, expect, it } from 'vitest'
import { createHttpEndpoint } from '#rpc/httpEndpoint.ts'

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
    expect(await endpoint.send([CHAIN_ID], 1_000)).toEqual({ results: ['0x1'], refusal: null })
    expect(requests[0]?.url).toBe('https://rpc.example/v1')
    expect(new Headers(requests[0]?.init.headers).get('Authorization')).toBe(`Basic ${btoa('me:s@cret')}`)
  })

  it('matches answers by id, in whichever order their members stand', async () => {
    const { endpoint } = endpointOf(() => new Response('[{"result":{"a":[1]},"id":2},{"id":1,"jsonrpc":"2.0","result":[]}]'))
    expect(await endpoint.send([GET_LOGS, CHAIN_ID], 1_000)).toEqual({ results: [[], { a: [1] }], refusal: null })
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
    ['null', 503, 'http'],
  ])('reads %j with the status %i as %s', async (body, status, kind) => {
    const { endpoint } = endpointOf(() => new Response(body, { status }))
    await expect(endpoint.send([CHAIN_ID], 1_000)).rejects.toMatchObject({ fault: { kind } })
  })

  it.each([
    ['{"id":1,"error":{"code":-32005,"message":"slow down"}}'],
    // JSON, but no JSON-RPC: its Retry-After went unheard.
    ['"slow down"'],
    ['[]'],
  ])('reads %j with the status 429 as a refusal', async body => {
    const { endpoint } = endpointOf(() => new Response(body, { status: 429, headers: { 'Retry-After': '7' } }))
    const { results, refusal } = await endpoint.send([CHAIN_ID], 1_000)
    expect(results).toEqual([])
    expect(refusal?.fault).toEqual({ kind: 'rate-limited', retryAfterMs: 7_000 })
  })
})

describe('an endpoint over HTTP that is asked for more than it gives at a time', () => {
  const TWENTY = Array.from({ length: 20 }, () => CHAIN_ID)
  const idsOf = ({ body }: RequestInit) => [JSON.parse(body as string) as { id: number }].flat().map(({ id }) => id)
  const refusal = (id: number) => ({ id, error: { code: -32_005, message: 'over the rate limit' } })

  /** Answers so many calls of each request. */
  const giving = (calls: () => number) =>
    endpointOf(init => {
      const ids = idsOf(init)
      return Response.json(ids.map((id, index) => (index < calls() ? { id, result: index } : refusal(id))))
    })

  it('gives what was answered, and sends no more than that from then on', async () => {
    let calls = 7
    const { endpoint, requests } = giving(() => calls)
    expect(await endpoint.send(TWENTY, 1_000)).toMatchObject({
      results: [0, 1, 2, 3, 4, 5, 6],
      refusal: { fault: { kind: 'rate-limited' } },
    })
    calls = 20
    expect((await endpoint.send(TWENTY, 1_000)).refusal).toBeNull()
    expect(requests.map(({ init }) => idsOf(init).length)).toEqual([20, 7, 7, 6])
  })

  it('sends more again soon', async () => {
    let calls = 2
    const { endpoint, requests } = giving(() => calls)
    await endpoint.send(TWENTY, 1_000)
    calls = 20
    for (let count = 0; count < 8; count++) await endpoint.send(TWENTY, 1_000)
    expect(Math.max(...requests.slice(-3).map(({ init }) => idsOf(init).length))).toBeGreaterThan(10)
  })

  it('takes the refusal of a whole request for one of its size after a pause, and else for one of the number of requests', async () => {
    let now = 0
    const sizes: number[] = []
    const fetch: typeof globalThis.fetch = async (_, init = {}) => {
      sizes.push(idsOf(init).length)
      return new Response('', { status: 429 })
    }
    const endpoint = createHttpEndpoint({ name: 'rpc-1', url: 'https://rpc.example/key', nowMs: () => now, fetch })
    for (const pauseMs of [0, 100, 100, 1_000, 100, 1_000, 1_000]) {
      now += pauseMs
      expect(await endpoint.send(TWENTY, 1_000)).toMatchObject({ results: [], refusal: { fault: { kind: 'rate-limited' } } })
    }
    // Never fewer than are to be answered together.
    expect(sizes).toEqual([20, 10, 10, 10, 5, 5, 4])
  })
})
