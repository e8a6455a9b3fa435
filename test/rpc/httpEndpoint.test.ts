import { describe, expect, it } from 'vitest'
import { createHttpEndpoint } from '#rpc/httpEndpoint.ts'
import { RpcError } from '#rpc/rpcFault.ts'

const MIB = 1024 * 1024
const GET_LOGS = { method: 'eth_getLogs', params: [] }
const CHAIN_ID = { method: 'eth_chainId', params: [] }
const SIGNAL = new AbortController().signal
const INVALID = { code: -32600, message: 'no batches' }

/** An endpoint whose every request is answered by this. */
function endpointOf(answer: (init: RequestInit) => Response, url = 'https://rpc.example/key') {
  const requests: { readonly url: string; readonly init: RequestInit }[] = []
  const fetch: typeof globalThis.fetch = async (input, init = {}) => {
    requests.push({ url: new Request(input).url, init })
    return answer(init)
  }
  return { requests, endpoint: createHttpEndpoint({ name: 'rpc-1', url, epochMs: () => 0, fetch }) }
}

describe('an endpoint over HTTP', () => {
  it('sends the name and the password of its URL in a header', async () => {
    const { requests, endpoint } = endpointOf(
      () => new Response('{"jsonrpc":"2.0","id":1,"result":"0x1"}'),
      'https://me:s%40cret@rpc.example/v1',
    )
    expect(await endpoint.send([CHAIN_ID], SIGNAL)).toEqual({ results: ['0x1'], refusal: null })
    expect(requests[0]?.url).toBe('https://rpc.example/v1')
    expect(new Headers(requests[0]?.init.headers).get('Authorization')).toBe(`Basic ${btoa('me:s@cret')}`)
  })

  it('matches answers by id, in whichever order their members stand', async () => {
    const { endpoint } = endpointOf(() => new Response('[{"result":{"a":[1]},"id":2},{"id":1,"jsonrpc":"2.0","result":[]}]'))
    expect(await endpoint.send([GET_LOGS, CHAIN_ID], SIGNAL)).toEqual({ results: [[], { a: [1] }], refusal: null })
  })

  const answerOf = (id: unknown, result: string) => ({ jsonrpc: '2.0', id, result })
  it.each([
    ['as text, in another order', [answerOf('2', 'b'), answerOf('1', 'a')]],
    ['that are all the same', [answerOf(0, 'a'), answerOf(0, 'b')]],
    ['that are left out', [{ result: 'a' }, { result: 'b' }]],
  ])('matches answers with ids %s', async (_, answers) => {
    const { endpoint } = endpointOf(() => Response.json(answers))
    expect(await endpoint.send([GET_LOGS, CHAIN_ID], SIGNAL)).toEqual({ results: ['a', 'b'], refusal: null })
  })

  it.each([
    [301, 'https://new.example/v2/a-key-of-the-provider', 'https://new.example/v2/<redacted>'],
    [308, '/v3/key?token=secret', 'https://rpc.example/v3/key'],
    [307, 'https://a-key-of-the-provider.example:8443/', 'https://<redacted>.example:8443/'],
    [302, null, 'a redirect without an address'],
  ])('refuses a redirect, %i to %s, and says where to', async (status, location, shown) => {
    const headers = new Headers(location === null ? {} : { Location: location })
    const { requests, endpoint } = endpointOf(() => new Response('', { status, headers }), 'https://rpc.example/v2/a-key-of-the-provider')
    const error = await endpoint.send([CHAIN_ID], SIGNAL).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ fault: { kind: 'http', status }, message: expect.stringContaining(shown) as unknown })
    expect(String(error)).not.toMatch(/a-key-of-the-provider|secret/)
    expect(requests.map(({ init }) => init.redirect)).toEqual(['manual'])
  })

  it.each([
    ['says that it is', () => new Response('x', { headers: { 'Content-Length': String(49 * MIB) } })],
    ['turns out to be', () => new Response(Buffer.alloc(49 * MIB, ' '))],
  ])('does not read an answer that %s larger than 48 MiB', async (_, answer) => {
    const { endpoint } = endpointOf(answer)
    await expect(endpoint.send([GET_LOGS], SIGNAL)).rejects.toMatchObject({ fault: { kind: 'garbled', what: 'more than 48 MiB' } })
  })

  it('takes a receipt of up to 384 MiB, since its logs can not be asked for in parts', async () => {
    const receipt = { method: 'eth_getTransactionReceipt', params: [] }
    const { endpoint } = endpointOf(() => new Response(Buffer.concat([Buffer.from('{"id":1,"result":{}}'), Buffer.alloc(49 * MIB, ' ')])))
    expect(await endpoint.send([receipt], SIGNAL)).toEqual({ results: [{}], refusal: null })
    const { endpoint: larger } = endpointOf(() => new Response('x', { headers: { 'Content-Length': String(385 * MIB) } }))
    await expect(larger.send([receipt], SIGNAL)).rejects.toMatchObject({ fault: { kind: 'garbled' } })
  })

  it.each([
    ['', 200, 'garbled'],
    ['<html>', 200, 'garbled'],
    ['{"id":1,"result":"0x1"} more', 200, 'garbled'],
    ['<html>', 502, 'http'],
    ['null', 503, 'http'],
  ])('reads %j with the status %i as %s', async (body, status, kind) => {
    const { endpoint } = endpointOf(() => new Response(body, { status }))
    await expect(endpoint.send([CHAIN_ID], SIGNAL)).rejects.toMatchObject({ fault: { kind } })
  })

  it.each([
    ['{"id":1,"error":{"code":-32005,"message":"slow down"}}'],
    // JSON, but no JSON-RPC: its Retry-After went unheard.
    ['"slow down"'],
    ['[]'],
  ])('reads %j with the status 429 as a refusal', async body => {
    const { endpoint } = endpointOf(() => new Response(body, { status: 429, headers: { 'Retry-After': '7' } }))
    await expect(endpoint.send([CHAIN_ID], SIGNAL)).rejects.toMatchObject({ fault: { kind: 'rate-limited', retryAfterMs: 7_000 } })
  })

  it('gives the answers before the first refused call of a batch', async () => {
    const refusal = (id: number) => ({ id, error: { code: -32_005, message: 'over the rate limit' } })
    const { endpoint } = endpointOf(() => Response.json([{ id: 1, result: '0x1' }, refusal(2), { id: 3, result: '0x3' }]))
    expect(await endpoint.send([CHAIN_ID, CHAIN_ID, CHAIN_ID], SIGNAL)).toMatchObject({
      results: ['0x1'],
      refusal: { fault: { kind: 'rate-limited' } },
    })
  })

  it.each([
    ['an object', () => Response.json({ id: null, error: INVALID }), { kind: 'rejected', text: 'no batches' }],
    ['an object with an id', () => Response.json({ id: 1, error: INVALID }), { kind: 'rejected', text: 'no batches' }],
    ['a list of one error', () => Response.json([{ id: null, error: INVALID }]), { kind: 'rejected', text: 'no batches' }],
    ['an error for each', () => Response.json([1, 2].map(id => ({ id, error: INVALID }))), { kind: 'rejected', text: 'no batches' }],
    ['a status', () => new Response('', { status: 413 }), { kind: 'http', status: 413, text: '' }],
    ['a page', () => new Response('<style>x {}</style><p>No <b>batches</b></p>', { status: 400 }), { kind: 'http', text: 'No batches' }],
    ['an answer too few', () => Response.json([{ id: 1, result: '0x1' }]), { kind: 'garbled' }],
  ])('reads the refusal of a batch from %s', async (_, answer, fault) => {
    const { endpoint } = endpointOf(answer)
    await expect(endpoint.send([CHAIN_ID, CHAIN_ID], SIGNAL)).rejects.toMatchObject({ fault })
  })

  it('ends with the reason of the signal, also in the middle of an answer', async () => {
    const reason = new RpcError({ kind: 'timeout' }, 'rpc-1')
    const hanging = (signal: AbortSignal) => new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(reason)))
    const answers: readonly ((signal: AbortSignal) => Promise<Response>)[] = [
      hanging,
      async signal => new Response(new ReadableStream({ start: controller => hanging(signal).catch(error => controller.error(error)) })),
    ]
    for (const answer of answers) {
      const end = new AbortController()
      const fetch: typeof globalThis.fetch = (_, init) => answer(init?.signal ?? SIGNAL)
      const endpoint = createHttpEndpoint({ name: 'rpc-1', url: 'https://rpc.example/key', epochMs: () => 0, fetch })
      const answered = endpoint.send([CHAIN_ID], end.signal)
      setImmediate(() => end.abort(reason))
      await expect(answered).rejects.toBe(reason)
    }
  })
})
