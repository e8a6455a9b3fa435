import { Buffer } from 'node:buffer'
import { readFile, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import type { IndexerHealth } from '#resources/health.ts'
import { startTestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { listen } from '#test/support/listen.ts'
import { serviceFolder } from '#test/support/service.ts'
import { spellings } from '#test/support/spellings.ts'

/*
 * The whole service as a process without OPERATOR_TOKEN, on a provider that repeats its request's Authorization header in its errors, in
 * another encoding each time. The public health showed it, and operator routes answered every client that reached the port.
 */

const PASSWORD = 'open "sésame"/+?>'
const WRITTEN = 'go away with your'
const CREDENTIALS = Buffer.from(`alice:${PASSWORD}`).toString('base64')
const SPELLED = [PASSWORD, `alice:${PASSWORD}`, CREDENTIALS].flatMap(secret => Object.values(spellings(secret)))
const NAMES = Object.keys(spellings('x'))
const OFTEN = { interval: 20 }

const database = await useDatabase({ migrated: false })
let fails = false
let errors = 0

const chain = await startTestChain()
const folder = await serviceFolder(chain)
const provider = createServer((request, response) => void provide(request, response))
const service = await folder.start({
  RPC_URLS: `http://alice:${encodeURIComponent(PASSWORD)}@127.0.0.1:${await listen(provider)}`,
  DATABASE_URL: database.url,
})

afterAll(async () => {
  await service?.stop()
  provider?.closeAllConnections()
  provider?.close()
})

const operator = async () => ({ authorization: `Bearer ${(await readFile(path.join(folder.folder, 'operator-token'), 'utf8')).trim()}` })
const ask = (route: string, headers: Readonly<Record<string, string>> = {}) => fetch(service.url + route, { headers })

test('operator routes ask for the token that the start has written', async () => {
  const headers = await operator()
  expect((await stat(path.join(folder.folder, 'operator-token'))).mode & 0o777).toBe(0o600)
  for (const route of ['/metrics', '/api/indexer/health/actors']) {
    expect((await ask(route)).status).toBe(401)
    expect((await ask(route, { authorization: 'Bearer wrong' })).status).toBe(401)
    expect((await ask(route, headers)).status).toBe(200)
    expect((await ask(route, { ...headers, 'x-real-ip': '203.0.113.1' })).status).toBe(403)
  }
  expect(service.output()).toContain('operator-token')
  expect(service.output()).not.toContain(headers.authorization.slice('Bearer '.length))
})

test('what a provider writes is for operators and the log, and no secret is in it', async () => {
  await service.indexed(Number(await chain.client.getBlockNumber({ cacheTime: 0 })))
  const headers = await operator()
  fails = true
  const details: string[] = []
  await eventually(async () => {
    const shown = await (await ask('/api/indexer/health')).text()
    expect(shown).not.toContain(WRITTEN)
    expectNoSecret(shown)
    const health = (await (await ask('/api/indexer/health', headers)).json()) as IndexerHealth & { readonly details: readonly string[] }
    details.push(...health.details)
    expect(health.details.join()).toContain(WRITTEN)
    expect((JSON.parse(shown) as IndexerHealth).reasons.join()).toContain('the node failed')
  }, OFTEN)
  await eventually(async () => {
    details.push(
      ...((await (await ask('/api/indexer/health', headers)).json()) as IndexerHealth & { readonly details: readonly string[] }).details,
    )
    expect(errors).toBeGreaterThan(6)
  }, OFTEN)
  const ready = await (await ask('/readyz')).text()
  expect(ready).not.toContain(WRITTEN)
  expectNoSecret(ready)
  expect(details.join()).toContain('<redacted>')
  expectNoSecret(details.join('\n'))
  expect(service.output()).toContain(WRITTEN)
  expectNoSecret(service.output())
})

async function provide(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request)
  if (!fails) {
    const headers = { 'Content-Type': 'application/json' }
    response.end(await (await fetch(chain.anvil.url, { method: 'POST', headers, body })).text())
    return
  }
  const credentials = request.headers.authorization?.replace('Basic ', '') ?? ''
  const pair = Buffer.from(credentials, 'base64').toString()
  const fail = ({ id }: { readonly id: number }) => {
    const secret = [credentials, pair, pair.slice('alice:'.length)][errors % 3] ?? ''
    const written = spellings(secret)[NAMES[Math.floor(errors++ / 3) % NAMES.length] ?? '']
    return { jsonrpc: '2.0', id, error: { code: -32_000, message: `${WRITTEN} ${written}` } }
  }
  const calls = JSON.parse(body) as { id: number } | { id: number }[]
  response.end(JSON.stringify(Array.isArray(calls) ? calls.map(fail) : fail(calls)))
}

function expectNoSecret(place: string): void {
  for (const spelled of SPELLED) expect(place).not.toContain(spelled)
}
