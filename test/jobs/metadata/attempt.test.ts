import { beforeEach, expect, it } from 'vitest'
import { type Attempt, createAttempt } from '#jobs/metadata/attempt.ts'
import type { Outbound } from '#jobs/metadata/outbound.ts'
import { createLogLines } from '#test/support/logLines.ts'
import { createManualClock } from '#test/support/manualClock.ts'
import { giving, PATIENT_LIMITS, redirecting, startDocumentServer } from './documentServer.ts'

/* Which hosts are left alone, and for how long. */

const CID = 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi'
const OF_GATEWAY = `ipfs://${CID}`
const BUSY = { 'retry-after': '600' }
let clock: ReturnType<typeof createManualClock>
let log: ReturnType<typeof createLogLines>
let attempt: Attempt

const server = await startDocumentServer()

beforeEach(() => {
  clock = createManualClock()
  log = createLogLines()
  attempt = attemptWithin(PATIENT_LIMITS)
})

function attemptWithin(limits: Partial<Outbound['limits']>): Attempt {
  const outbound: Outbound = {
    resolve: async host => (host === 'gone.example' ? [] : ['127.0.0.1']),
    isPublic: () => true,
    ports: { https: 443, http: server.port },
    limits: { ...PATIENT_LIMITS, ...limits },
  }
  const settings = { fetch: true, allowHttp: true, gateways: { ipfs: [server.url, 'http://127.0.0.1:1'], arweave: [server.url] } }
  return createAttempt({ settings, outbound, logger: log.logger, now: clock.nowMs })
}

const ask = (uri: string) => attempt({ uri }, new AbortController().signal)
const web = (host: string, path = '/x') => `http://${host}:${server.port}${path}`

it('leaves a gateway alone as long as it asks, and one that is not there for half a minute', async () => {
  server.answer((_, response) => void response.writeHead(429, BUSY).end())
  expect(await ask(OF_GATEWAY)).toMatchObject({ kind: 'failed', failure: { problem: 'rate_limited' } })
  expect(await ask(OF_GATEWAY)).toEqual({ kind: 'paused', forMs: 30_000 })
  server.answer(giving({ description: 'd' }))
  clock.advance(30_000)
  expect(await ask(OF_GATEWAY)).toMatchObject({ kind: 'failed', failure: { problem: 'no_connection' } })
  clock.advance(570_000)
  expect(await ask(OF_GATEWAY)).toMatchObject({ kind: 'read', document: { description: 'd' } })
  expect(log.lines().map(({ gateway, pausedForMs }) => [gateway, pausedForMs])).toEqual([
    ['ipfs-1', 600_000],
    ['ipfs-2', 30_000],
    ['ipfs-2', 30_000],
  ])
})

it("leaves a creator's host alone for a minute at most, whatever one address of it asks for", async () => {
  server.answer((_, response) => void response.writeHead(503, BUSY).end())
  expect(await ask(web('large.example'))).toMatchObject({ failure: { problem: 'server_error', retryAfterMs: 600_000 } })
  expect(await ask(web('large.example', '/other'))).toEqual({ kind: 'paused', forMs: 60_000 })
  server.answer(giving({}))
  expect(await ask(web('other.example'))).toMatchObject({ kind: 'read' })
  expect(log.lines()).toEqual([])
})

it('does not leave a host alone that is slow', async () => {
  attempt = attemptWithin({ firstByteMs: 100 })
  server.answer(() => undefined)
  expect(await ask(web('large.example'))).toMatchObject({ kind: 'failed', failure: { problem: 'too_slow' } })
  expect(await ask(web('large.example', '/again'))).toMatchObject({ kind: 'failed', failure: { problem: 'too_slow' } })
})

it('does not leave a host alone that is wrong, or not itself to blame', async () => {
  for (const [problem, listener] of [
    ['not_json', giving([])],
    ['forbidden_redirect', redirecting('http://gone.example/')],
    ['no_connection', redirecting(web('gone.example'))],
  ] as const) {
    server.answer(listener)
    expect(await ask(web('large.example'))).toMatchObject({ kind: 'failed', failure: { problem } })
  }
  server.answer(giving({}))
  expect(await ask(web('large.example'))).toMatchObject({ kind: 'read' })
})

it('takes a failure that may pass for more than one that says that nothing is there', async () => {
  server.answer((_, response) => void response.writeHead(404).end())
  expect(await ask(OF_GATEWAY)).toMatchObject({ failure: { problem: 'no_connection' } })
  expect(await ask(OF_GATEWAY)).toMatchObject({ failure: { problem: 'not_found' } })
})
