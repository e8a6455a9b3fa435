import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { connect } from 'node:tls'
import { parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buyOnCurve, type Launched, launch, readLaunched } from '#devchain/actions.ts'
import type { Address } from '#domain/address.ts'
import type { ActorState } from '#resources/actors.ts'
import type { IndexerHealth } from '#resources/health.ts'
import type { Token } from '#resources/token.ts'
import { certificate, certificateKey, foreignCertificate, foreignKey } from '#test/support/certificate.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import { type FeedClient, openFeed } from '#test/support/feedClient.ts'
import { type Service, type ServiceFolder, serviceFolder } from '#test/support/service.ts'

/*
 * A process that indexes, with three gateway threads, and beside it a gateway with two, over TLS. The acceptor hands connections to the
 * threads in turns, so that consecutive clients are on different threads.
 */

const THREADS = 3
const database = await useDatabase({ migrated: false })
let chain: TestChain
let folder: ServiceFolder
let service: Service
let gateway: Service
let files: { readonly cert: string; readonly key: string; readonly defect: string }
let feeds: readonly FeedClient[]
let alpha: Launched
let alice: Address

beforeAll(async () => {
  chain = await startTestChain({ timestamp: Math.floor(Date.now() / 1_000) - 7_200 })
  const [, creator, second] = chain.accounts as unknown as [Address, Address, Address]
  alice = second
  alpha = readLaunched(await chain.mined(launch(chain, { from: creator, name: 'Alpha', symbol: 'ALP' })))
  folder = await serviceFolder(chain)
  service = await folder.start({
    DATABASE_URL: database.url,
    GATEWAY_THREADS: String(THREADS),
    MAX_CONNECTIONS_PER_IP: '6',
    OPERATOR_TOKEN: 'operator',
    PATH_PREFIX: '/wire',
  })
  await service.indexed(await chain.head())
  files = {
    cert: path.join(folder.folder, 'cert.pem'),
    key: path.join(folder.folder, 'key.pem'),
    defect: path.join(folder.folder, 'defect'),
  }
  await writeFile(files.cert, certificate)
  await writeFile(files.key, certificateKey)
  gateway = await folder.start({
    DATABASE_URL: database.url,
    ROLE: 'gateway',
    GATEWAY_THREADS: '2',
    TLS_CERT_FILE: files.cert,
    TLS_KEY_FILE: files.key,
    NODE_OPTIONS: `--import=${throwingIn('gateway-2', files.defect)}`,
  })
  feeds = await Promise.all(Array.from({ length: 2 * THREADS }, () => openFeed(service.url)))
  for (const feed of feeds) feed.send({ type: 'subscribe', token: alpha.token })
  await Promise.all(feeds.map(feed => feed.next(({ type }) => type === 'token.update')))
})

afterAll(async () => {
  for (const one of [service, gateway]) one?.process.kill('SIGKILL')
  await chain?.stop()
  await folder?.remove()
})

/** A module that throws in the thread of that name once the file exists. */
function throwingIn(name: string, file: string): string {
  const code = `import { existsSync } from 'node:fs'
    import { workerData } from 'node:worker_threads'
    if (workerData?.name === ${JSON.stringify(name)}) setInterval(() => {
      if (existsSync(${JSON.stringify(file)})) throw new Error('a defect')
    }, 20)`
  return `data:text/javascript,${encodeURIComponent(code)}`
}

const get = async <T>(path: string): Promise<T> =>
  (await (await fetch(service.url + path, { headers: { Authorization: 'Bearer operator' } })).json()) as T
/** One answer of each thread: every request has a connection of its own. */
const fromEachThread = async <T>(path: string): Promise<readonly T[]> => {
  const answers: T[] = []
  for (let index = 0; index < THREADS; index++) {
    const response = await fetch(service.url + path, { headers: { Authorization: 'Bearer operator', Connection: 'close' } })
    answers.push((await response.json()) as T)
  }
  return answers
}

test('a commit reaches the clients of every thread, with what REST answers', async () => {
  const { blockNumber } = await chain.mined(buyOnCurve(chain, { from: alice, curve: alpha.curve, paidWei: parseEther('0.01') }))
  const updates = await Promise.all(
    feeds.map(feed => feed.next(({ type, sourceBlock }) => type === 'token.update' && Number(sourceBlock) >= Number(blockNumber))),
  )
  for (const update of updates) expect(update).toEqual(updates[0])
  for (const token of await fromEachThread<Token>(`/wire/api/tokens/${alpha.token}`)) expect(token).toEqual(updates[0]?.['token'])
})

test('health, actors and metrics are those of the whole process, whichever thread answers', async () => {
  const expected = {
    status: 'ok',
    feed: { carrier: 'thread', connected: true },
    actors: { total: THREADS, byState: { live: THREADS }, subscribers: feeds.length },
    realtime: { webSocketConnections: feeds.length, subscriptions: feeds.length },
  }
  // Polled: on a busy machine a process is not `ok` for a moment when its database or a thread answers late.
  await expect
    .poll(() => fromEachThread<IndexerHealth>('/api/indexer/health'))
    .toMatchObject(Array.from({ length: THREADS }, () => expected))
  for (const { realtime } of await fromEachThread<IndexerHealth>('/api/indexer/health'))
    expect(realtime.deliveredTotal).toBeGreaterThanOrEqual(2 * feeds.length)
  const lists = await fromEachThread<{ data: readonly ActorState[] }>('/api/indexer/health/actors')
  for (const { data } of lists)
    expect(data).toMatchObject([{ token: alpha.token, state: 'live', subscribers: { webSocket: feeds.length, eventStream: 0 } }])
  expect(await get(`/api/indexer/health/actors/${alpha.token}`)).toMatchObject({ subscribers: { webSocket: feeds.length } })
  const metrics = await (await fetch(`${service.url}/metrics`, { headers: { Authorization: 'Bearer operator' } })).text()
  expect(metrics).toContain(`tokenwire_connections{transport="websocket"} ${feeds.length}`)
  expect(metrics).toMatch(/^tokenwire_event_loop_delay_p99_seconds\{thread="gateway-3"\} /m)
  expect(metrics).toMatch(/^tokenwire_http_requests_total\{method="GET",route="\/api\/indexer\/health",status="200"\} ([3-9]|\d\d+)$/m)
  expect(metrics.match(/^process_cpu_seconds_total /gm)).toHaveLength(1)
})

test('the limit of connections per address holds for all threads together', async () => {
  await expect(openFeed(service.url)).rejects.toThrow('429')
  feeds[0]?.close()
  await feeds[0]?.closed
  const again = await openFeed(service.url)
  await expect(openFeed(service.url)).rejects.toThrow('429')
  again.close()
})

/** The certificate of a new connection, as the client sees it. */
const presented = (): Promise<string> =>
  new Promise((resolve, reject) => {
    const { port } = new URL(gateway.url)
    const socket = connect({ port: Number(port), host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? '')
      socket.destroy()
    })
    socket.on('error', reject)
  })

test('a gateway serves in threads over TLS, and each of them gets the renewed certificate', async () => {
  const clients = await Promise.all([0, 1].map(() => openFeed(gateway.url)))
  for (const client of clients) client.send({ type: 'subscribe', token: alpha.token })
  const { blockNumber } = await chain.mined(buyOnCurve(chain, { from: alice, curve: alpha.curve, paidWei: parseEther('0.02') }))
  for (const client of clients)
    await client.next(({ type, sourceBlock }) => type === 'token.update' && Number(sourceBlock) >= Number(blockNumber))
  const before = new X509Certificate(certificate).fingerprint256
  const after = new X509Certificate(foreignCertificate).fingerprint256
  expect([await presented(), await presented()]).toEqual([before, before])
  await writeFile(files.cert, foreignCertificate)
  await writeFile(files.key, foreignKey)
  gateway.process.kill('SIGHUP')
  await expect.poll(presented).toBe(after)
  expect([await presented(), await presented()]).toEqual([after, after])
  for (const client of clients) client.send({ type: 'unsubscribe', token: alpha.token })
  for (const client of clients) await client.next(({ type }) => type === 'unsubscribed')
})

test('a thread that dies ends the process, and the log says which error it was', async () => {
  const ended = once(gateway.process, 'close')
  await writeFile(files.defect, '')
  expect(await ended).toEqual([null, 'SIGKILL'])
  expect(gateway.output()).toMatch(/"level":"fatal".*"thread":"gateway-2".*"a defect".*"crashed"/)
})

test('a stop closes the connections of every thread with 1012', async () => {
  const open = feeds.slice(1)
  expect(await service.stop()).toBe(0)
  expect(await Promise.all(open.map(({ closed }) => closed))).toEqual(open.map(() => 1012))
  expect(service.output()).not.toContain('"level":"error"')
})
