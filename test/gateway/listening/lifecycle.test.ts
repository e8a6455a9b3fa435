import { request } from 'node:https'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startGateway, TOKEN } from '#test/gateway/startGateway.ts'
import { certificate, certificateFiles } from '#test/support/certificate.ts'
import { rawRequest } from './rawRequest.ts'

/** A query that is waiting: `asked` when it has come, to be let go by `answer`. */
function waitingQuery(): { readonly before: () => Promise<void>; readonly asked: Promise<void>; readonly answer: () => void } {
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<void>()
  return {
    before() {
      asked.resolve()
      return answer.promise
    },
    asked: asked.promise,
    answer: answer.resolve,
  }
}

function refusesConnections(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(false)
    })
    socket.once('error', () => resolve(true))
  })
}

test('listens on a port of its choice, in IPv4 and IPv6, and says where', async () => {
  for (const [host, url] of [
    ['127.0.0.1', 'http://127.0.0.1'],
    ['localhost', 'http://localhost'],
    ['::1', 'http://[::1]'],
    ['[::1]', 'http://[::1]'],
    ['0.0.0.0', 'http://127.0.0.1'],
    ['::', 'http://[::1]'],
  ] as const) {
    const gateway = await startGateway({ config: { host } })
    expect(gateway.url).toBe(`${url}:${gateway.port}`)
    expect((await gateway.get('/healthz')).status).toBe(200)
    // As probes of Kubernetes ask, at the pod's address of either kind.
    if (host === '::') expect((await fetch(`http://127.0.0.1:${gateway.port}/healthz`)).status).toBe(200)
    await gateway.close()
  }
})

test('says that a port is taken instead of sharing it, and what else keeps it from listening', async () => {
  const gateway = await startGateway()
  await expect(startGateway({ port: gateway.port })).rejects.toMatchObject({
    code: 'config_invalid',
    retryable: true,
    message: `HOST 127.0.0.1, PORT ${gateway.port}: cannot listen, something else listens there already`,
  })
  await expect(startGateway({ config: { host: '192.0.2.1' } })).rejects.toMatchObject({
    retryable: false,
    message: 'HOST 192.0.2.1, PORT 0: cannot listen, the host is not an address of this machine',
  })
  await gateway.close()
})

test('finishes requests in flight when it closes, after it has stopped accepting and while realtime connections end', async () => {
  const query = waitingQuery()
  const realtime = Promise.withResolvers<void>()
  let refusedMeanwhile: boolean | null = null
  const gateway = await startGateway({
    realtime: {
      async close() {
        refusedMeanwhile = await refusesConnections(gateway.port)
        query.answer()
        await realtime.promise
      },
    },
  })
  gateway.reads.before = query.before
  const response = gateway.get('/api/tokens')
  await query.asked
  const closed = gateway.close()
  expect((await response).status).toBe(200)
  expect(refusedMeanwhile).toBe(true)
  realtime.resolve()
  await closed
})

test('sends the whole of a large answer that a slow reader has not taken yet when it closes', async () => {
  const body = 'x'.repeat(16_000_000)
  const gateway = await startGateway({ metrics: { render: async () => body } })
  const response = await gateway.get('/metrics')
  const closed = gateway.close()
  expect((await response.text()).length).toBe(body.length)
  await closed
})

test('drops what does not finish in time', async () => {
  const query = waitingQuery()
  const answered = Promise.withResolvers<number>()
  const gateway = await startGateway({ drainTimeoutMs: 20, metrics: { observeRequest: ({ status }) => answered.resolve(status) } })
  gateway.reads.before = query.before
  const response = rawRequest(gateway.port, 'GET /api/tokens HTTP/1.1\r\nHost: a\r\n\r\n')
  await query.asked
  await gateway.close()
  expect(await response).toBe('')
  query.answer()
  expect(await answered.promise).toBe(499)
})

test('closes what is left when realtime connections fail to end', async () => {
  const gateway = await startGateway({
    realtime: {
      async close() {
        throw new Error('stuck')
      },
    },
  })
  await expect(gateway.close()).rejects.toThrow('stuck')
  expect(await refusesConnections(gateway.port)).toBe(true)
})

test('serves https when it is given a certificate', async () => {
  const body = 'y'.repeat(1_000_000)
  const gateway = await startGateway({ config: { tls: await certificateFiles() }, metrics: { render: async () => body } })
  expect(gateway.url).toBe(`https://127.0.0.1:${gateway.port}`)
  expect(await secureGet(`${gateway.url}/api/tokens/${TOKEN}`)).toMatchObject({ status: 200, body: expect.stringContaining(TOKEN) })
  expect((await secureGet(`${gateway.url}/metrics`)).body === body).toBe(true)
  expect(gateway.log.find(line => line.path === '/metrics')).toMatchObject({ clientAddress: '127.0.0.1' })
})

function secureGet(url: string): Promise<{ readonly status: number | undefined; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { ca: certificate, agent: false }, response => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve({ status: response.statusCode, body: Buffer.concat(chunks).toString() }))
    })
    sent.on('error', reject)
    sent.end()
  })
}
