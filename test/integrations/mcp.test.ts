import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import { expectProblem } from '#test/gateway/http/expectProblem.ts'
import { rawRequest } from '#test/gateway/listening/rawRequest.ts'
import { databaseAway } from '#test/gateway/memoryReads.ts'
import { NOT_INDEXED, startGateway, TOKEN } from '#test/gateway/startGateway.ts'

const gateway = await startGateway()

const STATELESS = '2026-07-28'
const ENVELOPE = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': STATELESS,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  },
}

function post(body: unknown, headers: Readonly<Record<string, string>> = {}, url = gateway.url): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return fetch(`${url}/mcp`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: text })
}

const stateless = (method: string, params: object = {}, headers: Readonly<Record<string, string>> = {}) =>
  post(
    { jsonrpc: '2.0', id: 1, method, params: { ...params, ...ENVELOPE } },
    { 'mcp-protocol-version': STATELESS, 'mcp-method': method, ...headers },
  )

/** The result of a tool, called without a handshake. */
async function call(name: string, given: object): Promise<{ readonly isError: boolean; readonly text: string }> {
  const response = await stateless('tools/call', { name, arguments: given }, { 'mcp-name': name })
  const { result } = (await response.json()) as { result: { isError: boolean; content: readonly [{ readonly text: string }] } }
  return { isError: result.isError, text: result.content[0].text }
}

describe.each([
  { protocol: STATELESS, mode: 'auto' as const },
  { protocol: '2025-11-25', mode: 'legacy' as const },
])('the official client by version $protocol', ({ protocol, mode }) => {
  it('lists the tools and calls one', async () => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`)))
    expect(client.getNegotiatedProtocolVersion()).toBe(protocol)
    expect(client.getInstructions()).toContain('never instructions')
    const { tools } = await client.listTools()
    const names = tools.map(({ name }) => name)
    expect(names).toEqual(
      expect.arrayContaining(['listTokens', 'getToken', 'listTrades', 'listHolders', 'listCandles', 'searchTokens', 'getWallet']),
    )
    expect(names).not.toContain('getUsage')
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true)
    const token = await (await gateway.get(`/api/tokens/${TOKEN}`)).json()
    const { content, isError, structuredContent } = await client.callTool({ name: 'getToken', arguments: { address: TOKEN } })
    expect({ isError, content }).toEqual({ isError: false, content: [{ type: 'text', text: JSON.stringify(token) }] })
    expect(structuredContent).toEqual(token)
    expect(JSON.stringify(tools)).not.toContain('$ref')
    await client.close()
  })
})

// Clients and models send what no schema asks for: each of these was once refused.
test.for([
  ['lists, small numbers, and null for what is left out', { addresses: [TOKEN, NOT_INDEXED], creator: null, minMarketCap: 1e-7 }],
  ['a list as JSON text', { addresses: `["${TOKEN}", "${NOT_INDEXED}"]`, status: '["bonding"]' }],
  ['a list as JSON text in upper case', { addresses: JSON.stringify([TOKEN.toUpperCase().replace('X', 'x')]) }],
  ['a list with spaces', { addresses: ` ${TOKEN} , ${NOT_INDEXED}` }],
  ['one value for a list', { addresses: TOKEN, status: 'bonding' }],
  ['a list of one for a value', { sort: ['marketCap'], limit: '["5"]' }],
  ['numbers as text', { limit: ' 5 ', minHolders: '1.0', minMarketCap: '1e-7', createdAfter: '1.7e9' }],
  ['words in other cases, and in quotes', { order: 'ASC', sort: '"marketCap"' }],
  ['an empty cursor', { cursor: '' }],
  [
    'what clients add of their own',
    {
      toolCallId: 'call_1',
      tool_call_id: 'call_1',
      sessionId: 'a',
      _sessionID: 'a',
      'session-id': 'a',
      action: 'sendMessage',
      chatInput: 'hi',
      tool: 'listTokens',
      _meta: { progressToken: 1 },
      runtime: { state: {} },
      security_context: {},
      state: {},
      wait_for_previous: true,
      explanation: 'to see',
      reason: 'to see',
      context: 'intent',
    },
  ],
] as const)('takes %s', async ([, given]) => {
  const { isError, text } = await call('listTokens', given)
  expect({ isError, text }).toEqual({ isError: false, text: expect.stringContaining(TOKEN) })
})

test('takes true and false as text, as other languages write them', async () => {
  for (const fill of [true, 'true', 'True', ' FALSE '])
    expect(await call('listCandles', { address: TOKEN, fill })).toMatchObject({ isError: false })
})

test.for([
  ['getToken', {}, 'invalid_parameter: address is required: it must be an address (0x and 40 hex digits)'],
  [
    'getToken',
    { address: NOT_INDEXED },
    `token_not_found: ${NOT_INDEXED} is not an indexed token; getWallet takes the address of an account`,
  ],
  ['getToken', { address: { a: 1 } }, 'invalid_parameter: "address" must be a text, a number, true or false, or a list of these'],
  ['getToken', { address: '{"a":1}' }, /^invalid_parameter: address must be an address/],
  ['listTokens', { limits: 5 }, 'invalid_parameter: unknown parameter "limits"; did you mean limit?'],
  ['listTokens', { state: 'bonding' }, /^invalid_parameter: unknown parameter "state"; did you mean/],
  ['getChainStats', { at: 1 }, 'invalid_parameter: unknown parameter "at"; there are none here'],
  ['listTokens', { limit: 1e21 }, /^invalid_parameter: limit must be an integer from 1 to \d+, got "1000000000000000000000"$/],
  ['listTokens', { limit: [1, 2] }, 'invalid_parameter: limit is given 2 times; it must be given once'],
  ['listSparklines', { tokens: TOKEN, cursor: 'row--1' }, 'invalid_parameter: cursor must be the nextCursor of an answer, got "row--1"'],
  // What another tool takes.
  ['listTraders', { address: TOKEN, window: '24h' }, 'invalid_parameter: unknown parameter "window"; listLeaders takes window'],
  [
    'listTokens',
    { address: TOKEN },
    /^invalid_parameter: unknown parameter "address"; did you mean addresses\?; \w+, \w+, \w+ take address$/,
  ],
  ['getToken', { q: 'OTTER' }, 'invalid_parameter: unknown parameter "q"; searchTokens takes q'],
  [
    'getToken',
    { address: 'OTTER' },
    'invalid_parameter: address must be an address (0x and 40 hex digits), got "OTTER"; searchTokens finds a token by its symbol or name',
  ],
  ['listCandleSeries', { tokens: ['OTTER', 'FOX'] }, /got "OTTER,FOX"; searchTokens finds a token by its symbol or name$/],
  ['listTokens', { sort: 'realized' }, /got "realized"; listLeaders, listTraders take it$/],
] as const)('says in one sentence why %s refuses %j', async ([name, given, text]) => {
  const refused = await call(name, given)
  expect(refused.isError).toBe(true)
  expect(refused.text).toMatch(text)
})

test('a database that does not answer is told as the result of the tool', async () => {
  gateway.reads.before = databaseAway
  onTestFinished(() => {
    gateway.reads.before = async () => {}
  })
  const refused = await call('getToken', { address: TOKEN })
  expect(refused).toEqual({ isError: true, text: expect.stringMatching(/^data_unavailable: the database does not answer/) })
})

const request = { jsonrpc: '2.0', id: 7, method: 'tools/list' }
const versions = { 'mcp-protocol-version': STATELESS }

test.for([
  ['no JSON', '{', {}, 400, -32_700],
  ['a batch', [request], {}, 400, -32_600],
  ['no message', '"x"', {}, 400, -32_600],
  ['another JSON-RPC', { ...request, jsonrpc: '1.0' }, {}, 400, -32_600],
  ['an id that is an object', { ...request, id: {} }, {}, 400, -32_600],
  ['a method that is a number', { ...request, method: 1 }, {}, 400, -32_600],
  ['params that are a list', { ...request, params: [1] }, {}, 400, -32_602],
  ['another content type', request, { 'content-type': 'text/plain' }, 415, -32_600],
  ['a body of more than 16 KB', `"${'x'.repeat(16_383)}"`, {}, 413, -32_600],
  ['a version of the header that is not known', request, { 'mcp-protocol-version': '2019-01-01' }, 400, -32_022],
  ['a version of the header that the body lacks', request, versions, 400, -32_602],
  ['no header for the method', { ...request, params: ENVELOPE }, versions, 400, -32_020],
  ['another method in the header', { ...request, params: ENVELOPE }, { ...versions, 'mcp-method': 'tools/call' }, 400, -32_020],
  ['an unknown method', { ...request, method: 'resources/list' }, {}, 200, -32_601],
  ['a call of no tool', { ...request, method: 'tools/call' }, {}, 200, -32_602],
  ['an unknown tool', { ...request, method: 'tools/call', params: { name: 'getTokens' } }, {}, 200, -32_602],
  ['params of a text that is no JSON', { ...request, params: 'all' }, {}, 400, -32_602],
  ['arguments that are a list', { ...request, method: 'tools/call', params: { name: 'getToken', arguments: [1] } }, {}, 200, -32_602],
  ['arguments of a cut text', { ...request, method: 'tools/call', params: { name: 'getToken', arguments: '{"a' } }, {}, 200, -32_602],
] as const)('refuses %s with one sentence', async ([, body, headers, status, code]) => {
  const response = await post(body, headers)
  const { error } = (await response.json()) as { readonly error: { readonly code: number; readonly message: string } }
  expect([response.status, error.code]).toEqual([status, code])
  expect(error.message).toMatch(/^.{10,150}[^.]$/)
})

test.for([
  ['ping, which has a handshake only', 'ping', {}, 404, -32_601],
  ['another tool in the header', 'tools/call', { name: 'getToken' }, 400, -32_020],
] as const)('refuses %s', async ([, method, params, status, code]) => {
  const response = await stateless(method, params, { 'mcp-name': 'getWallet' })
  expect([response.status, await response.json()]).toEqual([status, expect.objectContaining({ error: expect.objectContaining({ code }) })])
})

test('says which versions it speaks when a newer one is asked for', async () => {
  const newer = '2027-01-01'
  const params = { _meta: { 'io.modelcontextprotocol/protocolVersion': newer } }
  const response = await post({ ...request, params }, { 'mcp-protocol-version': newer, 'mcp-method': 'tools/list' })
  expect(await response.json()).toMatchObject({ id: 7, error: { code: -32_022, data: { supported: [STATELESS], requested: newer } } })
})

// It was refused before anything was agreed on, so that the client had no way to go back to a version that both know.
test.for(['2027-01-01', '2024-11-05', STATELESS])('agrees on a version with a client whose first header says %s', async version => {
  const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const response = await post({ ...request, method: 'initialize', params }, { 'mcp-protocol-version': version })
  expect([response.status, await response.json()]).toMatchObject([200, { id: 7, result: { protocolVersion: '2025-11-25' } }])
})

test.for([
  ['params and arguments of null', { ...request, params: null }, {}],
  // As PHP writes an object without fields.
  ['params of an empty list', { ...request, params: [] }, {}],
  ['another name of JSON, and its charset', request, { 'content-type': 'application/json-rpc; charset=utf-8' }],
  ['only JSON', request, { accept: 'application/json' }],
  ['only an event stream', request, { accept: 'text/event-stream' }],
] as const)('answers a client that sends or accepts %s', async ([, body, headers]) => {
  const response = await post(body, headers)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  expect(await response.json()).toHaveProperty('result.tools')
})

// Some clients pass on what a model wrote, which is JSON as text, or have an empty list or text for no arguments.
test.for([JSON.stringify({ address: TOKEN }), '', [], null])('calls a tool with the arguments %j', async given => {
  const name = given === null || given.length === 0 ? 'getChainStats' : 'getToken'
  const response = await post({ ...request, method: 'tools/call', params: { name, arguments: given } })
  expect(await response.json()).toMatchObject({ id: 7, result: { isError: false } })
})

test.for(['a', '', '0', 0, -1])('gives the id %j back as it is', async id => {
  expect(await (await post({ ...request, id })).json()).toMatchObject({ id })
})

test('accepts a notification without an answer', async () => {
  const response = await post({ jsonrpc: '2.0', method: 'notifications/initialized' })
  expect([response.status, await response.text()]).toEqual([202, ''])
})

test('answers other methods with 405, and a preflight with what is allowed', async () => {
  for (const method of ['GET', 'DELETE']) {
    const response = await fetch(`${gateway.url}/mcp`, { method })
    expect(response.headers.get('allow')).toBe('POST, OPTIONS')
    await expectProblem(response, 405, 'method_not_allowed')
  }
  const preflight = await fetch(`${gateway.url}/mcp`, { method: 'OPTIONS', headers: { origin: 'http://localhost:5173' } })
  expect(preflight.headers.get('access-control-allow-methods')).toBe('POST, OPTIONS')
})

// `/mcp/` was 404, as was the preflight that a page sends before.
test.for(['', '/prices/v1'])('answers below %s/mcp/ as without the slash', async pathPrefix => {
  const prefixed = await startGateway({ config: { pathPrefix } })
  const url = `${prefixed.url}${pathPrefix}/mcp/`
  const headers = { 'content-type': 'application/json', origin: 'http://localhost:5173' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ ...request, method: 'ping' }) })
  expect(await response.json()).toMatchObject({ id: 7, result: {} })
  const preflight = await fetch(url, { method: 'OPTIONS', headers: { ...headers, 'access-control-request-method': 'POST' } })
  expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([204, 'POST, OPTIONS'])
  await expectProblem(await fetch(url), 405, 'method_not_allowed')
})

test('refuses pages of origins that are not allowed', async () => {
  await expectProblem(await post(request, { origin: 'https://evil.example' }), 403, 'origin_not_allowed')
  expect((await post(request, { origin: 'http://localhost:5173' })).status).toBe(200)
})

test('takes the body in pieces, and keeps the connection for the next request', async () => {
  const body = JSON.stringify({ ...request, method: 'ping' })
  const chunks = [body.slice(0, 9), body.slice(9)].map(piece => `${piece.length.toString(16)}\r\n${piece}\r\n`)
  const answer = await rawRequest(
    gateway.port,
    `POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunks.join('')}0\r\n\r\n` +
      `GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
  )
  expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200'])
  expect(answer).toContain('{"jsonrpc":"2.0","id":7,"result":{}}')
})

test('counts each message as one request of its client', async () => {
  const { url } = await startGateway({ config: { rateLimitPerMinute: 2 } })
  for (const status of [200, 200, 429]) expect((await post(request, {}, url)).status).toBe(status)
})

test('is not there where INTEGRATIONS leaves it out', async () => {
  const { url } = await startGateway({ config: { integrations: ['udf'] } })
  expect((await post(request, {}, url)).status).toBe(404)
})
