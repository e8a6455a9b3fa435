import process from 'node:process'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Address } from '#domain/address.ts'
import { LIST_CELLS } from '#protocol/listCells.ts'
import type { Candle } from '#resources/candles.ts'
import type { IndexerHealth } from '#resources/health.ts'
import type { Token } from '#resources/token.ts'
import type { Trade } from '#resources/trades.ts'
import { toBytes } from '#tables/columns.ts'
import { startBalancer } from '#test/support/balancer.ts'
import { startTestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import { launchToken } from '#test/support/launchToken.ts'
import { type Service, serviceFolder } from '#test/support/service.ts'
import { cursorOf } from '#test/support/simulatedIndex.ts'
import { until } from './cluster.ts'
import { FOLLOWED_LIST, SdkClient } from './sdkClient.ts'

/*
 * A process that indexes, its standby and a gateway behind a balancer, with clients of the library at all of them. All are restarted, one
 * after the other, while the chain goes on.
 */

const CLIENTS = 12
const DRAIN_SECONDS = 2
/** During each restart. */
const BLOCKS = 20

const database = await useDatabase({ migrated: false })
const chain = await startTestChain({ timestamp: Math.floor(Date.now() / 1_000) - 7_200 })
const alpha = await launchToken(chain)
const folder = await serviceFolder(chain)
const balancer = await startBalancer()
let services: Service[] = []
let clients: readonly SdkClient[] = []
/** Tokens that were launched since the clients came. */
const launched: Address[] = []

const common = { DATABASE_URL: database.url, DRAIN_SECONDS: String(DRAIN_SECONDS) }
const indexing = { ...common, STANDBY: 'true' }
const settings = [indexing, indexing, { ...common, ROLE: 'gateway', RPC_URLS: '', LAUNCHPADS_FILE: '' }]

await alpha.buy()
for (const index of settings.keys()) await start(index)
await found(services[0]).indexed(await chain.head())
clients = Array.from({ length: CLIENTS }, () => new SdkClient(balancer.url, alpha.token))
await Promise.all(clients.map(client => until('a client watches', async () => client.isWatching)))

const RESTARTS: readonly (readonly [index: number, name: string])[] = [
  [0, 'the process that indexes'],
  // Takes 7 s of CPU: only with the storms of all faults.
  ...('CARRIER_ROUNDS' in process.env ? ([[1, 'its former standby, which indexes now']] as const) : []),
  [2, 'the gateway'],
]

test.each(RESTARTS)('a restart of process %d, %s, sends its clients away for a while and costs them nothing', async index => {
  const leaving = found(services[index])
  const standby = index === 0 ? found(services[1]) : found(services[0])
  const { realtime } = await healthOf(leaving)
  expect(realtime.webSocketConnections).toBeGreaterThan(0)
  for (const client of clients) client.forgetCloses()
  const closes = () => clients.flatMap(client => client.closes)
  const areBack = () => closes().length === realtime.webSocketConnections && clients.every(({ isOpen }) => isOpen)

  const restarted = (async () => {
    expect(await leaving.stop()).toBe(0)
    if (index < 2) await until('the standby indexes', async () => !(await healthOf(standby)).standby)
    await start(index)
  })()
  const trading = (async () => {
    await tradeBlocks(BLOCKS / 2)
    await launchAnother()
    await tradeBlocks(BLOCKS / 2)
  })()
  await Promise.all([restarted, trading])
  await until('the clients are back', async () => areBack())

  expect(closes().map(({ code }) => code)).toEqual(closes().map(() => 4012))
  const delays = closes()
    .map(({ reason }) => Number(/^retry after (\d+) ms$/.exec(reason)?.[1]))
    .toSorted((a, b) => a - b)
  expect(delays[0]).toBe(0)
  expect(delays.at(-1)).toBeGreaterThanOrEqual(Math.floor((DRAIN_SECONDS * 1_000 * (delays.length - 1)) / delays.length))
  expect(delays.at(-1)).toBeLessThan(DRAIN_SECONDS * 1_000)
  for (const { reason, awayMs } of closes()) expect(awayMs).toBeGreaterThanOrEqual(Number(/\d+/.exec(reason)?.[0]) - 2)
  await alpha.buy()
  await expectNothingMissing()
})

test('clients of a standby stay connected when it takes over from a killed process', async () => {
  const first = found(services[0])
  const second = found(services[1])
  const [indexer, standby] = (await healthOf(first)).standby ? [second, first] : [first, second]
  expect([await healthOf(indexer), await healthOf(standby)]).toMatchObject([{ standby: false }, { standby: true }])
  const near = Array.from({ length: 4 }, () => new SdkClient(standby.url, alpha.token))
  await Promise.all(near.map(client => until('a client of the standby watches', async () => client.isWatching)))
  const newest = (await alphaAt(standby)).sequence
  const known = launched.length
  indexer.process.kill('SIGKILL')
  await launchAnother()
  await tradeBlocks(5)
  await until('the standby indexes', async () => !(await healthOf(standby)).standby)
  await until('the clients are back', async () => clients.every(({ isOpen }) => isOpen))
  services = services.filter(service => service !== indexer)
  await alpha.buy()
  await expectNothingMissing()
  const { sequence } = await alphaAt(standby)
  expect(sequence).toBeGreaterThan(newest)
  for (const client of near) {
    await until('a client of the standby has the newest state', async () => client.sequences.at(-1) === sequence)
    expect([client.closes, client.gaps]).toEqual([[], []])
    await expect.poll(() => client.launches).toEqual(launched.slice(known))
  }
  await expectStatesOf(near)
  for (const client of near) client.close()
})

async function start(index: number): Promise<void> {
  const service = await folder.start(found(settings[index]))
  services[index] = service
  balancer.servers[index] = service.url
}

async function launchAnother(): Promise<void> {
  const number = launched.length + 1
  launched.push((await launchToken(chain, { name: `Later ${number}`, symbol: `L${number}` })).token)
}

async function tradeBlocks(blocks: number): Promise<void> {
  for (let block = 0; block < blocks; block++) await alpha.buy()
}

function alphaAt(service: Service): Promise<Token> {
  return service.get(`/api/tokens/${alpha.token}`)
}

function healthOf(service: Service): Promise<IndexerHealth> {
  return service.get('/api/indexer/health')
}

/**
 * Every client holds the newest state, list and candles, as each process shows them, and has had every trade and every launch since it came,
 * once and in order.
 */
async function expectNothingMissing(): Promise<void> {
  const head = await chain.head()
  await until(`block ${head} is indexed`, async () => ((await cursorOf(database.kysely))?.number ?? -1) >= head)
  const { rows } = await sql<{ sequence: number }>`
    select sequence::float8 as sequence from token where address = ${toBytes(alpha.token)}`.execute(database.kysely)
  const { sequence } = found(rows[0])
  for (const service of services)
    await until(`${service.url} shows ${sequence}`, async () => (await alphaAt(service)).sequence === sequence)
  const states = await Promise.all(services.map(alphaAt))
  for (const state of states) expect(state).toEqual(states[0])
  const path = `/api/tokens/${alpha.token}/trades?order=asc&limit=500`
  const { data: listed } = await found(services[0]).get<{ data: readonly Trade[] }>(path)
  expect(listed).toHaveLength(found(states[0]).market.tradeCount)
  const since = listed.map(({ id }) => id).slice(1)
  for (const [index, client] of clients.entries()) {
    await until(`client ${index} has the newest trade`, async () => client.holds(found(since.at(-1))))
    await until(`client ${index} has ${sequence}`, async () => client.sequences.at(-1) === sequence)
    expect(client.sequences).toEqual([...new Set(client.sequences)].toSorted((a, b) => a - b))
    expect(client.gaps).toEqual([])
    expect(client.eventsOfChannel).toEqual(since)
    await expect.poll(() => client.launches).toEqual(launched)
  }
  await expectStatesOf(clients)
}

/** The list and the candles are those that each process answers. */
async function expectStatesOf(followers: readonly SdkClient[]): Promise<void> {
  const { sort, limit } = FOLLOWED_LIST
  for (const service of services) {
    const { data: tokens } = await service.get<{ data: readonly Token[] }>(`/api/tokens?sort=${sort}&limit=${limit}`)
    expect(tokens.map(({ address }) => address)).toEqual([...launched.toReversed(), alpha.token])
    const rows = tokens.map(token => Object.fromEntries(Object.entries(LIST_CELLS).map(([name, cellOf]) => [name, cellOf(token)])))
    const { data: candles } = await service.get<{ data: readonly Candle[] }>(`/api/tokens/${alpha.token}/candles`)
    for (const client of followers) {
      await expect.poll(() => client.list?.data).toEqual(rows)
      await expect.poll(() => client.candles?.candles).toEqual(candles)
    }
  }
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('there is none')
  return value
}
