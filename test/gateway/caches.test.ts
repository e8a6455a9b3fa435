import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { type Gateway, type GatewayOptions, startGateway, TOKEN } from './startGateway.ts'

const PAGE = 'http://localhost:5173'
const TEXT = `tw_${'cdn'.padEnd(43, '-')}`
const KEY = { name: 'cdn', sha256: hash('sha256', TEXT), limits: { requestsPerMinute: 0 } }
/** What clients of one address may send to the same path. */
const CLIENTS = [{}, { origin: PAGE }, { origin: 'https://other.example' }, { 'x-api-key': TEXT }] as const

// Answers with the CORS headers of one page, or with what is left to one client, were `public`: a CDN gave them to all others.
test.for([
  ['restricted origins and a limit', { rateLimitPerMinute: 100_000 }, false],
  ['restricted origins alone', { rateLimitPerMinute: 0 }, false],
  ['a limit alone', { rateLimitPerMinute: 100_000, allowedOrigins: ['*'] }, false],
  ['neither, but keys', { rateLimitPerMinute: 0, allowedOrigins: ['*'], apiKeys: [KEY] }, true],
  ['neither', { rateLimitPerMinute: 0, allowedOrigins: ['*'] }, true],
] as const)('with %s, every path that shared caches may keep answers every client the same', async ([, config, isShared]) => {
  const gateway = await startGateway({ config: config as GatewayOptions['config'] & object })
  const paths = await pathsOf(gateway)
  expect(paths.length).toBeGreaterThan(40)
  let shared = 0
  for (const path of paths) {
    const answers = await Promise.all(CLIENTS.map(headers => gateway.get(path, headers)))
    const kept = answers.filter(({ headers }) => /public|s-maxage/.test(headers.get('cache-control') ?? ''))
    if (path.startsWith('/api/')) shared += kept.length
    const different = new Set(await Promise.all(kept.map(toText))).size
    const varying = kept.filter(({ headers }) => headers.get('vary') !== 'Accept-Encoding')
    expect({ path, different: different > 1, varying }).toEqual({ path, different: false, varying: [] })
  }
  expect(shared > 0).toBe(isShared)
  await gateway.close()
})

/** All paths of the service but event streams. */
async function pathsOf(gateway: Gateway): Promise<readonly string[]> {
  const { paths } = (await (await gateway.get('/openapi.json')).json()) as { readonly paths: object }
  return Object.keys(paths)
    .filter(path => !path.endsWith('/stream'))
    .map(path => path.replace('{address}', TOKEN).replace(/\{\w+\}/, '1'))
}

async function toText(response: Response): Promise<string> {
  const own = new Set(['date', 'x-request-id', 'connection', 'keep-alive'])
  return JSON.stringify([response.status, [...response.headers].filter(([name]) => !own.has(name)), await response.text()])
}
