import { Buffer } from 'node:buffer'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { createHttpEndpoint } from '#rpc/httpEndpoint.ts'
import { RpcError } from '#rpc/rpcFault.ts'
import { POLL_LIMIT_MS } from '#test/support/limits.ts'
import { listen } from '#test/support/listen.ts'
import { spellings } from '#test/support/spellings.ts'

/* A provider that repeats its request's headers in the message of an error. */

const PASSWORD = 'open "sésame"/+?>'
const SECRETS = [PASSWORD, `alice:${PASSWORD}`, Buffer.from(`alice:${PASSWORD}`).toString('base64')]
/** What the provider makes of the header that it was sent. */
let write: (authorization: string) => string

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { id } = JSON.parse(await text(request)) as { id: number }
  const message = `not allowed: ${write(request.headers.authorization ?? '')}`
  response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_000, message } }))
}

const server = createServer((request, response) => void answer(request, response))
const url = new URL(`http://127.0.0.1:${await listen(server)}`)
url.username = 'alice'
url.password = encodeURIComponent(PASSWORD)
afterAll(() => new Promise(resolve => server.close(resolve)))

async function failure(): Promise<RpcError> {
  const endpoint = createHttpEndpoint({ name: 'rpc-1', url: url.href, epochMs: () => Date.now() })
  const error: unknown = await endpoint
    .send([{ method: 'eth_blockNumber', params: [] }], AbortSignal.timeout(POLL_LIMIT_MS))
    .catch((error: unknown) => error)
  endpoint.close()
  if (!(error instanceof RpcError)) return expect.unreachable()
  return error
}

const credentialsOf = (authorization: string) => authorization.replace('Basic ', '')
const decoded = (authorization: string) => Buffer.from(credentialsOf(authorization), 'base64').toString()
const WAYS: Readonly<Record<string, (authorization: string) => string>> = {
  header: authorization => authorization,
  credentials: credentialsOf,
  'user and password': decoded,
  password: authorization => decoded(authorization).slice('alice:'.length),
}

test.for(Object.keys(WAYS).flatMap(way => Object.keys(spellings('x')).map(spelling => [way, spelling] as const)))(
  'an error that repeats the %s, written as %s, holds no secret in any spelling',
  async ([way, spelling]) => {
    let echoed = ''
    write = authorization => {
      echoed = spellings(WAYS[way]?.(authorization) ?? '')[spelling] ?? ''
      return echoed
    }
    const { message, details } = await failure()
    expect(echoed.length).toBeGreaterThan(PASSWORD.length - 1)
    for (const place of [message, JSON.stringify(details)]) {
      expect(place).toContain('<redacted>')
      for (const secret of SECRETS) for (const spelled of Object.values(spellings(secret))) expect(place).not.toContain(spelled)
    }
  },
)
