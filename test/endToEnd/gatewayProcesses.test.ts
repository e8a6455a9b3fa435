import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import process from 'node:process'
import { expect, test } from 'vitest'
import type { IndexerHealth, ProcessState } from '#resources/health.ts'
import type { Token } from '#resources/token.ts'
import { startTestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import { type FeedClient, openFeed } from '#test/support/feedClient.ts'
import { freePort } from '#test/support/freePort.ts'
import { launchToken } from '#test/support/launchToken.ts'
import { listen } from '#test/support/listen.ts'
import { fullPipe } from '#test/support/namedPipes.ts'
import { descendants } from '#test/support/processes.ts'
import { serviceFolder, spawnService } from '#test/support/service.ts'

/* A process that indexes, and the gateway processes that it starts, which share one port. */

const GATEWAYS = 2
const database = await useDatabase({ migrated: false })
const chain = await startTestChain({ timestamp: Math.floor(Date.now() / 1_000) - 7_200 })
const alpha = await launchToken(chain)
const folder = await serviceFolder(chain)
const settings = {
  DATABASE_URL: database.url,
  GATEWAYS: String(GATEWAYS),
  STATUS_PORT: String(await freePort(GATEWAYS + 1)),
  OPERATOR_TOKEN: 'operator',
}
let service = await folder.start(settings)
await service.indexed(await chain.head())

test('a commit reaches the clients of every process, with what REST answers', async () => {
  await expect.poll(async () => (await gateways()).length).toBe(GATEWAYS)
  const feeds: FeedClient[] = []
  // The system spreads connections by a hash of their ports.
  const [first, second] = (await gateways()).map(({ url }) => url)
  const connectionsOf = async (url = '') => (await get<IndexerHealth>(`${url}/api/indexer/health`)).realtime.webSocketConnections
  while ((await connectionsOf(first)) === 0 || (await connectionsOf(second)) === 0) feeds.push(await watchAlpha())
  const block = await alpha.buy()
  const updates = await Promise.all(
    feeds.map(feed => feed.next(({ type, sourceBlock }) => type === 'token.update' && Number(sourceBlock) >= block)),
  )
  for (const update of updates) expect(update).toEqual(updates[0])
  for (let request = 0; request < 8; request++)
    expect(await get<Token>(`${service.url}/api/tokens/${alpha.token}`)).toEqual(updates[0]?.['token'])
  for (const feed of feeds) feed.close()
})

test('each process has its own metrics at its own address', async () => {
  const ports = async () => (await processes()).map(({ url }) => Number(new URL(url).port)).toSorted((a, b) => a - b)
  const first = Number(settings.STATUS_PORT)
  await expect.poll(ports).toEqual([first, first + 1, first + 2])
  for (const { url, pid } of await processes()) {
    const response = await fetch(`${url}/metrics`, { headers: { Authorization: 'Bearer operator' } })
    expect([pid, response.status]).toEqual([pid, 200])
    expect((await response.text()).match(/^process_cpu_seconds_total /gm)).toHaveLength(1)
  }
})

test('a process that dies is started again, and the others serve meanwhile', async () => {
  const [first] = await gateways()
  process.kill(first?.pid ?? expect.unreachable('there is no gateway'), 'SIGKILL')
  await expect.poll(async () => (await gateways()).filter(({ pid }) => pid !== first?.pid).length).toBe(GATEWAYS)
  expect(service.output()).toMatch(/"level":"error".*"a gateway process has ended and is started again"/)
  ;(await watchAlpha()).close()
})

test('SIGUSR2 replaces all processes, one by one, while the others answer', async () => {
  const before = (await gateways()).map(({ pid }) => pid)
  const feed = await watchAlpha()
  service.process.kill('SIGUSR2')
  let answered = 0
  const isReplaced = async () => {
    // The system resets a connection that it hands to a process in the moment in which that stops listening.
    const list = await get<{ data: readonly Token[] }>(`${service.url}/api/tokens`).catch((error: unknown) => {
      if (error instanceof TypeError) return null
      throw error
    })
    if (list !== null) expect(list.data.map(({ address }) => address)).toEqual([alpha.token])
    if (list !== null) answered++
    return !before.some(isRunning)
  }
  await expect.poll(isReplaced, { interval: 5 }).toBe(true)
  expect(answered).toBeGreaterThan(1)
  expect(await feed.closed).toBe(1012)
  await expect.poll(async () => (await gateways()).length).toBe(GATEWAYS)
})

// The process that was to be started after the pause came besides, was forgotten, and served with the code and settings of its start.
test('SIGUSR2 while a process waits to be started again leaves no process too many', async () => {
  const before = await gateways()
  process.kill(before[0]?.pid ?? expect.unreachable('there is no gateway'), 'SIGKILL')
  await expect.poll(() => service.output().split('is started again').length).toBe(3)
  service.process.kill('SIGUSR2')
  await expect.poll(() => service.output().split('"a gateway process was replaced"').length).toBe(2 * GATEWAYS + 1)
  // The pause has ended long ago: after the first start of a process that came later.
  expect(descendants(service.process.pid ?? Number.NaN)).toHaveLength(GATEWAYS)
  await expect.poll(async () => (await gateways()).length).toBe(GATEWAYS)
})

test('a stop ends all processes, and closes their connections with 1012', async () => {
  const feed = await watchAlpha()
  const pids = (await gateways()).map(({ pid }) => pid)
  expect(await service.stop()).toBe(0)
  expect(await feed.closed).toBe(1012)
  expect(pids.filter(isRunning)).toEqual([])
})

// Each line was written by a call that returns once the pipe has room, so that nothing was answered and SIGTERM was ignored.
test('a log that nobody reads holds up neither the start, nor answers, nor the stop', async () => {
  const pipe = fullPipe()
  const standing = spawn(process.execPath, ['dist/service/main.js'], {
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      ...folder.env,
      ...settings,
      METADATA_FETCH: 'false',
      LOG_LEVEL: 'debug',
    },
    stdio: ['ignore', pipe.fd, pipe.fd, 'ipc'],
  })
  const exited = once(standing, 'exit')
  const [told] = (await Promise.race([once(standing, 'message'), exited])) as [{ readonly url: string } | number | null]
  if (typeof told !== 'object' || told === null) expect.unreachable(`ended with ${told}: ${pipe.read().slice(pipe.filling.length)}`)
  const { url } = told
  await alpha.buy()
  await expect.poll(async () => (await get<IndexerHealth>(`${url}/api/indexer/health`)).indexedBlock).toBe(String(await chain.head()))
  standing.kill('SIGTERM')
  expect(await exited).toEqual([0, null])
  expect(pipe.read()).toBe(pipe.filling)
})

test('the processes end with the one that started them, also when it is killed', async () => {
  service = await folder.start(settings)
  await expect.poll(async () => (await gateways()).length).toBe(GATEWAYS)
  const pids = (await gateways()).map(({ pid }) => pid)
  service.process.kill('SIGKILL')
  await expect.poll(() => pids.filter(isRunning)).toEqual([])
})

test('another program on the port ends the start with one sentence', async () => {
  const other = createServer()
  const port = await listen(other)
  const { exited, output } = spawnService({ ...folder.env, ...settings, PORT: String(port) })
  expect(await exited).toBe(75)
  expect(output()).toContain(`HOST 127.0.0.1, PORT ${port}: cannot listen, something else listens there already`)
  other.close()
})

/** An answer over a connection of its own, which the system hands to any of the processes. */
async function get<T>(url: string): Promise<T> {
  const response = await fetch(url, { headers: { Authorization: 'Bearer operator', Connection: 'close' } })
  expect(response.status).toBe(200)
  return (await response.json()) as T
}

/** The processes that the one which indexes has heard of; each hears of the others at its own time. */
async function processes(): Promise<readonly ProcessState[]> {
  const [, statusUrl] = /"statusUrl":"([^"]+)"/.exec(service.output()) ?? []
  return (await get<{ data: readonly ProcessState[] }>(`${statusUrl}/api/indexer/health/processes`)).data
}

async function gateways(): Promise<readonly ProcessState[]> {
  return (await processes()).filter(({ role, pid }) => role === 'gateway' && isRunning(pid))
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function watchAlpha(): Promise<FeedClient> {
  const feed = await openFeed(service.url)
  feed.send({ type: 'subscribe', token: alpha.token })
  await feed.next(({ type }) => type === 'token.update')
  return feed
}
