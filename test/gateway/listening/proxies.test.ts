import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect, createServer } from 'node:net'
import { createGunzip } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RealtimeFixture } from '#test/gateway/realtime/startRealtime.ts'
import { listen } from '#test/support/listen.ts'
import { addressOf, snapshotOf } from '#test/support/snapshots.ts'
import { NGINX, type Nginx, startNginx } from './startNginx.ts'

/* What docs/operation.md says of proxies in front of the service. */

const TOKEN = addressOf(1)

let fixture: RealtimeFixture
let nginx: Nginx | null = null
beforeAll(async () => {
  fixture = await RealtimeFixture.start()
  fixture.show(fixture.store(TOKEN, 1))
})
afterAll(async () => {
  await nginx?.stop()
  await fixture?.stop()
})

/** Who was the first to end each connection. */
async function startTap(
  port: number,
): Promise<{ readonly port: number; readonly firstToEnd: Promise<'client' | 'service'>; close(): void }> {
  const { promise: firstToEnd, resolve } = Promise.withResolvers<'client' | 'service'>()
  const tap = createServer({ allowHalfOpen: true }, client => {
    const service = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    client.on('end', () => resolve('client')).on('error', () => resolve('client'))
    service.on('end', () => resolve('service')).on('error', () => resolve('service'))
    client.pipe(service).pipe(client)
  })
  return { port: await listen(tap), firstToEnd, close: () => void tap.close() }
}

describe.runIf(NGINX !== null)('behind nginx', () => {
  // uWebSockets ends an idle connection after 10 s, and nginx keeps one in its pool for 60 s unless it is told otherwise: a request that it
  // sends just then gets 502.
  test.each([
    ['the service, without the line of the guide', '', 'service'],
    ['nginx, with the line of the guide', 'keepalive_timeout 7s;', 'client'],
  ])('an idle connection of the pool is ended first by %s', async (_, line, first) => {
    const tap = await startTap(fixture.port)
    const inside = 'location / { proxy_pass http://pool; proxy_http_version 1.1; proxy_set_header Connection ""; }'
    const pooling = await startNginx({ pooling: inside }, `upstream pool { server 127.0.0.1:${tap.port}; keepalive 4; ${line} }`)
    expect(await tap.firstToEnd).toBe(first)
    await pooling.stop()
    tap.close()
  })

  test('an event stream comes at once, also where nginx compresses everything', async () => {
    const inside = `gzip on; gzip_types *; gzip_proxied any; gzip_min_length 1;
      location / { proxy_pass http://127.0.0.1:${fixture.port}; proxy_http_version 1.1; }`
    nginx = await startNginx({ compressing: inside })
    const asked = nginx.ask('compressing', `/api/tokens/${TOKEN}/stream`, { 'accept-encoding': 'gzip' })
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    const body = response.headers['content-encoding'] === 'gzip' ? response.pipe(createGunzip()) : response
    let received = ''
    body.on('data', chunk => (received += String(chunk)))
    await expect.poll(() => received).toContain('id: 1\n')
    fixture.commit(snapshotOf(TOKEN, 2))
    await expect.poll(() => received).toContain('id: 2\n')
    asked.destroy()
  })
})
