import { type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { encodeContent, entityTag, jsonAnswer, jsonTextAnswer, noneMatchNames } from '#gateway/http/answer.ts'
import { createResponseCache } from '#gateway/http/responseCache.ts'
import { startGateway, TOKEN } from '#test/gateway/startGateway.ts'
import { addressOf, tokenOf } from '#test/support/snapshots.ts'

const LIST = '/api/tokens?limit=20'

const tokens = Array.from({ length: 20 }, (_, index) => tokenOf(addressOf(0x100 + index), 1_795_000_000_000 + index))
const gateway = await startGateway({ stored: { tokens }, responses: createResponseCache(() => 0) })

async function ask(path: string, headers: Record<string, string>, method = 'GET') {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ host: '127.0.0.1', port: gateway.port, path, headers, method }, resolve).on('error', reject).end()
  })
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) }
}

const identity = (bytes: Buffer) => bytes
const CASES = [
  ['br, gzip', 'br', brotliDecompressSync],
  ['gzip, deflate', 'gzip', gunzipSync],
  ['gzip;q=1.0, br;q=0', 'gzip', gunzipSync],
  ['br;q=0.0, gzip;q=0', undefined, identity],
  ['identity', undefined, identity],
  ['', undefined, identity],
] as const

test.for(CASES)('answers Accept-Encoding "%s" with %s', async ([accepted, encoding, decode]) => {
  const plain = await ask(LIST, {})
  for (const _ of ['made', 'kept']) {
    const answer = await ask(LIST, { 'accept-encoding': accepted })
    expect(answer.headers['content-encoding']).toBe(encoding)
    expect(answer.headers['vary']).toBe('Origin, Accept-Encoding')
    expect(answer.headers['content-length']).toBe(String(answer.body.length))
    expect(decode(answer.body)).toEqual(plain.body)
    if (encoding !== undefined) expect(answer.body.length).toBeLessThan(plain.body.length / 4)
  }
})

test('each encoding has a tag of its own, and 304 answers to it', async () => {
  const tags = new Set<string>()
  for (const encoding of ['identity', 'gzip', 'br']) {
    const headers = { 'accept-encoding': encoding }
    const tag = (await ask(LIST, headers)).headers.etag ?? ''
    tags.add(tag)
    const again = await ask(LIST, { ...headers, 'if-none-match': tag })
    expect([again.status, again.headers.etag, again.body.length]).toEqual([304, tag, 0])
  }
  expect(tags.size).toBe(3)
})

test('HEAD has the length of what GET sends', async () => {
  const headers = { 'accept-encoding': 'br' }
  const [head, get] = await Promise.all([ask(LIST, headers, 'HEAD'), ask(LIST, headers)])
  expect(head.headers['content-length']).toBe(get.headers['content-length'])
  expect(head.headers.etag).toBe(get.headers.etag)
  expect(head.body.length).toBe(0)
})

test.for([
  ['at once', 100_000, true],
  ["in libuv's threads", 400_000, false],
] as const)('Brotli compresses %s a body of %i characters', async ([_, length, isAtOnce]) => {
  let isDone = false
  const encoded = Promise.resolve(encodeContent(jsonTextAnswer('x'.repeat(length)), 'br')).finally(() => (isDone = true))
  // All microtasks run until then, and no turn of the event loop.
  await new Promise<void>(resolve => process.nextTick(resolve))
  expect(isDone).toBe(isAtOnce)
  expect(brotliDecompressSync((await encoded).body ?? '').length).toBe(length)
})

test('small answers are sent as they are', async () => {
  const answer = await ask('/api/tokens?limit=1&status=migrated', { 'accept-encoding': 'br' })
  expect(answer.status).toBe(200)
  expect(answer.headers['content-encoding']).toBeUndefined()
})

test('problems have no encoding', async () => {
  const answer = await ask(`/api/tokens/${TOKEN}/nothing`, { 'accept-encoding': 'br' })
  expect(answer.status).toBe(404)
  expect(answer.headers['content-encoding']).toBeUndefined()
})

test('an answer is compressed once for all requests', async () => {
  const answer = jsonAnswer({ text: 'tokenwire '.repeat(500) })
  const first = await encodeContent(answer, 'gzip')
  expect(await encodeContent(answer, 'gzip')).toBe(first)
  expect(await encodeContent(answer, 'br')).not.toBe(first)
})

test('the same bytes have the same tag, others another', () => {
  expect(entityTag('{}')).toBe(entityTag('{}'))
  expect(entityTag('{}')).not.toBe(entityTag('{ }'))
})

test.for(['"a"', 'W/"a"', '"b", "a"', '"b",W/"a" ,"c"', '*', ' * '])('If-None-Match: %s names "a"', header => {
  expect(noneMatchNames(header, '"a"')).toBe(true)
})

test.for(['', '"b"', 'a', '"a', '"aa"', '"*"', 'W/"b"', '"b" "c"'])('If-None-Match: %s does not name "a"', header => {
  expect(noneMatchNames(header, '"a"')).toBe(false)
})
