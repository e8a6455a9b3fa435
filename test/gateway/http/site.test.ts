import { createHash } from 'node:crypto'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { loadSite } from '#gateway/http/site.ts'
import { RealtimeFixture } from '#test/gateway/realtime/startRealtime.ts'
import { startGateway } from '#test/gateway/startGateway.ts'
import { addressOf } from '#test/support/snapshots.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'
import { expectProblem } from './expectProblem.ts'

const PAGE = '<!doctype html><title>Tokenwire</title><script type="module" src="./assets/main-1a2b.js"></script>'
const SCRIPT = `export const text = '${'tokenwire '.repeat(500)}'`
const SECRET = 'not part of the console'

const parent = (await makeTemporaryFolder()).path
const folder = path.join(parent, 'console')
await mkdir(path.join(folder, 'assets'), { recursive: true })
await writeFile(path.join(parent, 'secret.txt'), SECRET)
await writeFile(path.join(folder, 'source.stamp'), SECRET)
await symlink(path.join(parent, 'secret.txt'), path.join(folder, 'link.txt'))
await writeFile(path.join(folder, 'index.html'), PAGE)
await writeFile(path.join(folder, 'assets/main-1a2b.js'), SCRIPT)
await writeFile(path.join(folder, 'assets/main-1a2b.js.gz'), gzipSync(SCRIPT))
await writeFile(path.join(folder, 'assets/main-1a2b.js.br'), brotliCompressSync(SCRIPT))
const loaded = await loadSite(folder)
if (loaded === null) throw new Error('the folder has an index.html')
const site = loaded
const gateway = await startGateway({ site })

/** A request whose path and answer no library tidies up on the way. */
async function ask(port: number, target: string, headers: Record<string, string> = {}) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: target, headers }, resolve).on('error', reject).end()
  })
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) }
}

const ASSET = '/assets/main-1a2b.js'

test('serves the page to be asked for again, under a policy that allows nothing inline and nothing from elsewhere', async () => {
  const response = await gateway.get('/')
  expect(await response.text()).toBe(PAGE)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'private, no-cache',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  })
  const policy = response.headers.get('content-security-policy') ?? ''
  const own = ["default-src 'none'", ...['script', 'style', 'img', 'connect'].map(kind => `${kind}-src 'self'`)]
  expect(policy.split('; ')).toEqual(expect.arrayContaining(own))
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toMatch(/unsafe|\*|https?:|default-src[^;]*;.*default-src/)
})

test('serves files with a hash in their name to be kept for good, others to be asked for again', async () => {
  const asset = await gateway.get(ASSET)
  expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(asset.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(asset.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
})

test.for([
  ['br, gzip', 'br', brotliDecompressSync],
  ['gzip, deflate', 'gzip', gunzipSync],
  ['gzip;q=1.0, br;q=0', 'gzip', gunzipSync],
  ['identity', null, (bytes: Buffer) => bytes],
  ['brrr', null, (bytes: Buffer) => bytes],
  ['', null, (bytes: Buffer) => bytes],
] as const)('answers Accept-Encoding "%s" with %s', async ([accepted, encoding, decode]) => {
  const answer = await ask(gateway.port, ASSET, { 'accept-encoding': accepted })
  expect(answer.headers['content-encoding'] ?? null).toBe(encoding)
  expect(answer.headers['vary']).toBe('Accept-Encoding')
  expect(decode(answer.body).toString()).toBe(SCRIPT)
})

test('tags each form of a file by its bytes and answers 304 to who has it', async () => {
  const [plain, zipped] = await Promise.all([
    gateway.get(ASSET, { 'accept-encoding': 'identity' }),
    gateway.get(ASSET, { 'accept-encoding': 'gzip' }),
  ])
  const tag = plain.headers.get('etag') ?? ''
  expect(tag).toBe(`"${createHash('sha1').update(SCRIPT).digest('base64url')}"`)
  expect(zipped.headers.get('etag')).not.toBe(tag)
  const again = await gateway.get(ASSET, { 'accept-encoding': 'identity', 'if-none-match': tag })
  expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, tag, ''])
  const page = await gateway.get('/')
  const samePage = await gateway.get('/', { 'if-none-match': page.headers.get('etag') ?? '' })
  expect(samePage.status).toBe(304)
  expect(samePage.headers.get('content-security-policy')).toBe(page.headers.get('content-security-policy'))
})

test('answers HEAD with the length and 405 to what would change something', async () => {
  const head = await fetch(gateway.url, { method: 'HEAD' })
  expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, String(PAGE.length), ''])
  const post = await fetch(gateway.url + ASSET, { method: 'POST', body: 'x' })
  await expectProblem(post, 405, 'method_not_allowed')
  expect(post.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
})

test.for([
  '/../secret.txt',
  '/assets/../../secret.txt',
  '/%2e%2e/secret.txt',
  '/..%2fsecret.txt',
  '/assets/..%5c..%5csecret.txt',
  '//secret.txt',
  '/link.txt',
  '/source.stamp',
  '/assets',
  '/assets/',
  '/assets/main-1a2b.js.gz',
  '/assets/main-1a2b.js/',
  '/index.html',
  '/Assets/main-1a2b.js',
  '/assets/main-1a2b.js%00',
])('knows nothing at %s', async target => {
  const answer = await ask(gateway.port, target)
  expect(answer.status).toBe(404)
  expect(answer.body.toString()).not.toContain(SECRET)
})

test('says what to do when the console is not built', async () => {
  expect(await loadSite(path.join(parent, 'nowhere'))).toBeNull()
  const gateway = await startGateway()
  expect(await expectProblem(await gateway.get('/'), 404, 'not_found')).toContain('npm run build')
})

test('tells the page where the explorer is and which launchpads there are', async () => {
  const mine = { name: 'mine', adapter: 'bonding-curve', startBlock: 0, contracts: {} }
  const config = { explorerUrl: 'https://basescan.org', launchpads: { weth: addressOf(1), launchpads: [mine] } }
  const gateway = await startGateway({ site, config })
  expect(await (await gateway.get('/console.json')).json()).toEqual({
    explorerUrl: 'https://basescan.org',
    launchpads: ['mine'],
    mcp: true,
  })
})

test('does not count the console against the rate limit', async () => {
  const gateway = await startGateway({ site, config: { rateLimitPerMinute: 1 } })
  for (let count = 0; count < 3; count++) expect((await gateway.get(ASSET)).status).toBe(200)
  expect((await gateway.get('/api/tokens')).status).toBe(200)
  expect((await gateway.get('/api/tokens')).status).toBe(429)
})

test('answers below PATH_PREFIX too, WebSockets included, so that a proxy may keep or strip it', async () => {
  const fixture = await RealtimeFixture.start({ pathPrefix: '/live/tokens' })
  const { url } = fixture.gateway
  for (const base of [url, `${url}/live/tokens`]) {
    expect((await fetch(`${base}/api/tokens`)).status).toBe(200)
    const socket = new WebSocket(`${base.replace('http', 'ws')}/realtime`)
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    socket.close()
  }
  const bare = await fetch(`${url}/live/tokens`, { redirect: 'manual' })
  expect([bare.status, bare.headers.get('location')]).toEqual([308, '/live/tokens/'])
  for (const other of ['/live', '/live/tokensapi/tokens', '/live/tokens/live/tokens/api/tokens']) {
    expect([other, (await fetch(url + other)).status]).toEqual([other, 404])
  }
  await fixture.stop()
})
