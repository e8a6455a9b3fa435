import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { TokenUpdate } from '#protocol/encodeUpdate.ts'
import type { IndexerHealth, ProcessState } from '#resources/health.ts'
import type { Token } from '#resources/token.ts'
import { readClockMs } from '#store/rows/cursor.ts'
import { startTestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import { startPostgresProxy } from '#test/support/faults/postgresProxy.ts'
import { type FeedClient, openFeed } from '#test/support/feedClient.ts'
import { launchToken } from '#test/support/launchToken.ts'
import { startInstalledNats } from '#test/support/nats.ts'
import { type Service, serviceFolder, spawnService } from '#test/support/service.ts'
import { shiftedClock } from '#test/support/shiftedClock.ts'

/*
 * An indexer, its standby and two gateways as processes of their own, on one database. One gateway hears of commits by NATS, where there is a
 * server, the other one by PostgreSQL, through a proxy that can cut its connections. Their clocks differ by 18 s.
 */

const { nats, byNats } = await startInstalledNats()
const SLOW = shiftedClock(-7_000)
const FAST = shiftedClock(11_000)
const OPERATOR = { OPERATOR_TOKEN: 'operator' }
const database = await useDatabase({ migrated: false })
const chain = await startTestChain({ timestamp: Math.floor(Date.now() / 1_000) - 7_200 })
const alpha = await launchToken(chain)
const folder = await serviceFolder(chain)
const proxy = await startPostgresProxy({ url: database.url })
const writer = (clock = SLOW) => ({ ROLE: 'indexer', STANDBY: 'true', ...OPERATOR, ...byNats, ...clock, DATABASE_URL: database.url })

const gateway = { ROLE: 'gateway', RPC_URLS: '', LAUNCHPADS_FILE: '', ...OPERATOR }
const early = spawnService({ ...folder.env, ...gateway, DATABASE_URL: database.url })
expect([await early.exited, early.output()]).toEqual([
  75,
  expect.stringContaining('no indexer (ROLE=indexer) of this version has prepared'),
])
let indexer = await folder.start(writer(SLOW))
const near = await folder.start({ ...gateway, ...byNats, DATABASE_URL: database.url, ...FAST })
const far = await folder.start({ ...gateway, DATABASE_URL: proxy.url, ...SLOW })
const feeds = [await openFeed(near.url), await openFeed(far.url)] as const
for (const feed of feeds) {
  feed.send({ type: 'subscribe', token: alpha.token })
  feed.send({ type: 'subscribe', channel: 'trades' })
}
let standby = await folder.start(writer(FAST))

test('a commit of the indexer reaches the clients of every gateway, with what its REST answers', async () => {
  for (let round = 0; round < 5; round++) {
    const block = await alpha.buy()
    await arrives(block)
    for (const [index, gateway] of [near, far].entries()) {
      expect(feeds[index]?.updates(alpha.token).at(-1)?.token).toEqual(await tokenAt(gateway))
      await feeds[index]?.next(({ type, block: of }) => type === 'trades' && of === String(block))
    }
  }
  expectRisingSequences()
})

test('every process says its role, and the indexer serves nothing but health and metrics', async () => {
  // Polled: on a busy machine a process may be late with its heartbeat or its answer for a moment.
  await expect.poll(() => healthOf(indexer)).toMatchObject({ role: 'indexer', standby: false, status: 'ok' })
  const reported = async () => (await healthOf(near)).indexedBlock
  while (Number((await reported()) ?? -1) < (await chain.head())) await pause(20)
  await expect.poll(() => healthOf(standby)).toMatchObject({ role: 'indexer', standby: true, feed: { connected: true } })
  await expect
    .poll(() => healthOf(near))
    .toMatchObject({
      role: 'gateway',
      standby: false,
      status: 'ok',
      feed: { carrier: nats === null ? 'notify' : 'nats', connected: true },
    })
  // HEAD, since answers to GET are compared with the description of a service that has these routes.
  for (const path of ['/api/tokens', '/realtime', '/']) expect((await fetch(indexer.url + path, { method: 'HEAD' })).status).toBe(404)
  for (const service of [indexer, near]) await expect.poll(async () => (await fetch(`${service.url}/readyz`)).status).toBe(200)
})

test('every process lists all of them, with what carries its blocks', async () => {
  const carriers = { [indexer.url]: 'thread', [standby.url]: 'notify', [near.url]: nats === null ? 'notify' : 'nats', [far.url]: 'notify' }
  if (nats !== null) carriers[standby.url] = 'nats'
  for (const service of [indexer, standby, near, far]) {
    const listed = async () => {
      const response = await fetch(`${service.url}/api/indexer/health/processes`, { headers: { authorization: 'Bearer operator' } })
      const { data } = (await response.json()) as { data: readonly ProcessState[] }
      for (const { heardMsAgo } of data) expect(heardMsAgo).toBeGreaterThanOrEqual(0)
      return Object.fromEntries(data.map(({ url, feed }) => [url, feed.carrier]))
    }
    await expect.poll(listed).toEqual(carriers)
  }
})

test('sequences and ages follow the clock of the database, whatever the clocks of processes say', async () => {
  const pongs: number[] = []
  for (const feed of feeds.toReversed()) {
    feed.send({ type: 'ping' })
    pongs.push(Date.parse(String((await feed.next(({ type }) => type === 'pong'))['timestamp'])))
  }
  expect(Number(pongs[1]) - Number(pongs[0])).toBeGreaterThanOrEqual(18_000)
  const clock = () => readClockMs(database.kysely)
  const before = await clock()
  await arrives(await alpha.buy())
  const { sequence, updatedAt } = await tokenAt(near)
  const after = await clock()
  for (const time of [sequence, Date.parse(updatedAt)]) {
    expect(time).toBeGreaterThanOrEqual(before)
    expect(time).toBeLessThanOrEqual(after)
  }
})

test('a gateway whose connections are cut has the newest state once they are back', async () => {
  proxy.setServer('refusing')
  proxy.cutAll()
  const block = await alpha.buy()
  await arrives(block, [feeds[0]])
  proxy.setServer('up')
  // Nothing else happens to the token: the gateway finds what it missed by itself.
  await arrives(block)
  expectRisingSequences()
})

test('a gateway that was stopped and continues has the newest state', async () => {
  far.process.kill('SIGSTOP')
  let block = 0
  for (let round = 0; round < 5; round++) block = await alpha.buy()
  await arrives(block, [feeds[0]])
  far.process.kill('SIGCONT')
  await arrives(block)
  expectRisingSequences()
})

test('clients of a gateway stay connected while the indexer is killed and its standby takes over', async () => {
  indexer.process.kill('SIGKILL')
  await arrives(await alpha.buy())
  expect(await healthOf(standby)).toMatchObject({ role: 'indexer', standby: false })
  const other = path.join(folder.folder, 'other.json')
  const launchpads = JSON.parse(await readFile(folder.env['LAUNCHPADS_FILE'] ?? '', 'utf8')) as object
  await writeFile(other, JSON.stringify({ ...launchpads, weth: alpha.token }))
  const wrong = spawnService({ ...folder.env, ...writer(), LAUNCHPADS_FILE: other })
  ;[indexer, standby] = [standby, await folder.start(writer())]
  expect([await wrong.exited, wrong.output()]).toEqual([
    1,
    expect.stringContaining('The database was built from launchpads quoted in WETH'),
  ])
  expectRisingSequences()
})

test('a standby takes over from a stopped indexer, which leaves when it continues', async () => {
  indexer.process.kill('SIGSTOP')
  // The server does that when no heartbeat has come for 20 s.
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'tokenwire-writer' and datname = current_database()`.execute(database.kysely)
  await arrives(await alpha.buy())
  const left = once(indexer.process, 'close')
  indexer.process.kill('SIGCONT')
  expect((await left)[0]).toBe(75)
  // From the lock or from a refused commit, whichever it meets first.
  expect(indexer.output()).toMatch(/another (running Tokenwire indexes|Tokenwire has indexed) into this database/)
  await arrives(await alpha.buy())
  expectRisingSequences()
})

test('a client of a killed gateway has the newest state at another one', async () => {
  far.process.kill('SIGKILL')
  await feeds[1].closed
  const held = feeds[1].updates(alpha.token).at(-1)?.sequence
  const block = await alpha.buy()
  await arrives(block, [feeds[0]])
  const moved = await openFeed(near.url)
  moved.send({ type: 'subscribe', token: alpha.token, sequence: held })
  await arrives(block, [moved])
  expect(moved.updates(alpha.token).at(-1)?.token).toEqual(await tokenAt(near))
  moved.close()
})

test('a gateway leaves at SIGTERM', async () => {
  expect(await near.stop()).toBe(0)
  expect(await feeds[0].closed).toBe(1012)
  expect(await standby.stop()).toBe(0)
})

function tokenAt(service: Service): Promise<Token> {
  return service.get(`/api/tokens/${alpha.token}`)
}

function healthOf(service: Service): Promise<IndexerHealth> {
  return service.get('/api/indexer/health')
}

/** The update of that block, at the client of each gateway. One that has missed commits tells more trades at once. */
async function arrives(block: number, at: readonly FeedClient[] = feeds): Promise<void> {
  const found = await Promise.all(
    at.map(feed => feed.next(({ type, sourceBlock }) => type === 'token.update' && Number(sourceBlock) >= block)),
  )
  const updates = (found as unknown as readonly TokenUpdate[]).map(({ trades, ...state }) => ({ trades, state }))
  for (const { trades, state } of updates) {
    expect(state).toEqual(updates[0]?.state)
    if (trades !== null) expect(trades.at(-1)).toEqual(state.latestTrade)
  }
}

function expectRisingSequences(): void {
  for (const feed of feeds) {
    const sequences = feed.updates(alpha.token).map(({ sequence }) => sequence)
    expect(sequences).toEqual([...new Set(sequences)].toSorted((a, b) => a - b))
  }
}
