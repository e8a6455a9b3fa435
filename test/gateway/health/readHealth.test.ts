import { afterEach, expect, test, vi } from 'vitest'
import { type Condition, createDatabaseProbe, healthStatus } from '#gateway/health/readHealth.ts'
import type { BackfillProgress } from '#resources/health.ts'
import { databaseCause } from '#store/connection/databaseErrors.ts'
import { databaseAway } from '#test/gateway/memoryReads.ts'
import { silentLogger } from '#test/support/database.ts'
import { createLogLines } from '#test/support/logLines.ts'
import { rpcHealth } from '#test/support/rpcHealth.ts'

const FOLLOWING = { indexedBlock: 467, lagBlocks: 0, backfill: null, rpc: [], stalled: false, reason: null, problems: [] }
const PRICE = {
  price: '3000',
  currency: 'USD',
  source: 'coinbase',
  fetchedAt: '2026-01-02T03:04:08.123Z',
  ageSeconds: 240.4,
  stale: true,
  disputed: null,
} as const
const BACKFILL: BackfillProgress = {
  fromBlock: '0',
  toBlock: '9',
  currentBlock: '3',
  percent: 30,
  blocksPerSecond: 1,
  eventsPerSecond: 1,
  secondsLeft: 6,
}
const rpc = (name: string, healthy: boolean) =>
  rpcHealth({ name, healthy, latencyMs: null, errorRate: healthy ? 0 : 1, cause: healthy ? null : 'rate limit' })

interface Case {
  readonly name: string
  readonly indexer?: Partial<Condition['indexer']>
  readonly database?: string | null
  readonly price?: Condition['price']
  readonly pooled?: string
  readonly feed?: Partial<Condition['feed']>
  readonly status: string
  readonly reasons: readonly string[]
}

test.for<Case>([
  { name: 'all is well', status: 'ok', reasons: [] },
  { name: 'the replica is a little behind', feed: { replica: { inUse: true, behindMs: 40 } }, status: 'ok', reasons: [] },
  {
    name: 'the replica is not used',
    feed: { replica: { inUse: false, behindMs: 9_000 } },
    status: 'degraded',
    reasons: ['the replica is behind or away; reads go to the primary'],
  },
  { name: 'NATS is connected again in time', feed: { carrier: 'nats', disconnectedMs: 5_000 }, status: 'ok', reasons: [] },
  {
    name: 'NATS is lost for longer',
    feed: { carrier: 'nats', disconnectedMs: 5_001 },
    status: 'degraded',
    reasons: ['no commits have come over NATS for 5 s'],
  },
  {
    name: 'a gateway has lost both the notifications and its indexer',
    feed: { disconnectedMs: 31_900 },
    indexer: { stalled: true, reason: 'the indexer has not answered for 31 s' },
    status: 'stalled',
    reasons: ['the indexer has not answered for 31 s', "no commits have come by the database's notifications for 31 s"],
  },
  {
    name: 'the carrier is lost with the database',
    database: 'the database does not answer',
    feed: { disconnectedMs: 60_000 },
    status: 'stalled',
    reasons: ['the database does not answer'],
  },
  {
    name: 'an edited launchpads.json can not be applied',
    indexer: { problems: ['launchpads.json can not be applied: weth has changed'] },
    status: 'degraded',
    reasons: ['launchpads.json can not be applied: weth has changed'],
  },
  { name: 'there never was a price, as on a machine without internet', price: null, status: 'ok', reasons: [] },
  { name: 'the price is fresh', price: { ...PRICE, stale: false }, status: 'ok', reasons: [] },
  {
    name: 'the price is stale',
    price: PRICE,
    status: 'degraded',
    reasons: ['no provider gives an ETH/USD price; the last one is 240 s old'],
  },
  {
    name: 'two providers disagree on the price',
    price: { ...PRICE, stale: false, disputed: { price: '3600', source: 'coingecko' } },
    status: 'degraded',
    reasons: ['the ETH/USD prices of coinbase and coingecko are 20 % apart: 3000 and 3600'],
  },
  {
    name: 'a provider and the pools disagree on the price',
    price: { ...PRICE, stale: false },
    pooled: '3200.123456',
    status: 'degraded',
    reasons: ['the ETH/USD prices of coinbase and of the configured pools are 7 % apart: 3000 and 3200.12'],
  },
  { name: 'a provider and the pools are 2 % apart', price: { ...PRICE, stale: false }, pooled: '2940', status: 'ok', reasons: [] },
  {
    name: 'the pools have the price of an earlier time, as the whole index',
    price: { ...PRICE, stale: false },
    pooled: '1200',
    indexer: { lagBlocks: 31 },
    status: 'syncing',
    reasons: [],
  },
  {
    name: 'a provider fails',
    indexer: { rpc: [rpc('rpc-1', true), rpc('rpc-2', false)] },
    status: 'degraded',
    reasons: ['rpc-2 fails: rate limit'],
  },
  {
    name: 'the indexer says the same of a provider that fails',
    indexer: { reason: 'rpc-1: rate limit', rpc: [rpc('rpc-1', false)] },
    status: 'degraded',
    reasons: ['rpc-1 fails: rate limit'],
  },
  {
    name: 'the indexer says the same of the database',
    database: 'the database does not answer',
    indexer: { reason: 'the database does not answer' },
    status: 'stalled',
    reasons: ['the database does not answer'],
  },
  {
    name: 'the indexer says that something is odd',
    indexer: { reason: 'logs are missing' },
    status: 'degraded',
    reasons: ['logs are missing'],
  },
  { name: 'nothing is indexed yet', indexer: { indexedBlock: null, lagBlocks: null }, status: 'syncing', reasons: [] },
  { name: 'a backfill runs', indexer: { backfill: BACKFILL }, status: 'syncing', reasons: [] },
  { name: 'it lags a little', indexer: { lagBlocks: 30 }, status: 'ok', reasons: [] },
  { name: 'it lags far behind', indexer: { lagBlocks: 31 }, status: 'syncing', reasons: [] },
  {
    name: 'it catches up while a provider fails',
    indexer: { lagBlocks: 31, rpc: [rpc('rpc-1', false)] },
    status: 'syncing',
    reasons: ['rpc-1 fails: rate limit'],
  },
  {
    name: 'it has stopped',
    indexer: { stalled: true, reason: 'the reorg is too deep' },
    status: 'stalled',
    reasons: ['the reorg is too deep'],
  },
  {
    name: 'it has stopped for an unknown reason',
    indexer: { stalled: true },
    status: 'stalled',
    reasons: ['nothing is indexed though the chain moves'],
  },
  {
    name: 'it has stopped in the middle of a backfill',
    indexer: { stalled: true, backfill: BACKFILL },
    status: 'stalled',
    reasons: ['nothing is indexed though the chain moves'],
  },
  {
    name: 'the database is away, whatever else is broken',
    database: 'the disk of the database is full',
    indexer: { indexedBlock: null, rpc: [rpc('rpc-1', false)] },
    price: PRICE,
    status: 'stalled',
    reasons: [
      'the disk of the database is full',
      'rpc-1 fails: rate limit',
      'no provider gives an ETH/USD price; the last one is 240 s old',
    ],
  },
])('is $status when $name', ({ indexer = {}, database = null, price = null, pooled = null, feed = {}, status, reasons }) => {
  const carried = { carrier: 'notify', disconnectedMs: 0, replica: null, ...feed } as const
  expect(healthStatus({ database, indexer: { ...FOLLOWING, ...indexer }, price, pooled, feed: carried })).toEqual({ status, reasons })
})

const QUIET = { logger: silentLogger, causeOf: databaseCause, redact: (text: string) => text }

afterEach(() => {
  vi.useRealTimers()
})

test('tells the latency of a database that answers', async () => {
  const probe = createDatabaseProbe({ ping: async () => 1.234_567, now: () => 0, ...QUIET })
  expect(await probe()).toEqual({ ok: true, latencyMs: 1.235, cause: null })
})

test('tells of a database that fails, and of one that does not answer in time', async () => {
  expect(await createDatabaseProbe({ ping: databaseAway, now: () => 0, ...QUIET })()).toMatchObject({
    ok: false,
    latencyMs: null,
    cause: { shown: expect.any(String) as unknown },
  })
  vi.useFakeTimers()
  const probing = createDatabaseProbe({ ping: () => new Promise<number>(() => {}), now: () => 0, ...QUIET })()
  await vi.advanceTimersByTimeAsync(2_000)
  expect(await probing).toMatchObject({ ok: false, latencyMs: null, cause: { shown: expect.any(String) as unknown } })
})

test('survives a failure that comes after the time-out', async () => {
  vi.useFakeTimers()
  const failure = Promise.withResolvers<number>()
  const probing = createDatabaseProbe({ ping: () => failure.promise, now: () => 0, ...QUIET })()
  await vi.advanceTimersByTimeAsync(2_000)
  expect((await probing).ok).toBe(false)
  failure.reject(new Error('late'))
  await expect(failure.promise).rejects.toThrow('late')
})

test('asks the database at most twice a second, however many ask', async () => {
  let pings = 0
  let nowMs = 0
  const probe = createDatabaseProbe({ ping: async () => ++pings, now: () => nowMs, ...QUIET })
  await Promise.all([probe(), probe(), probe()])
  nowMs = 500
  await probe()
  expect(pings).toBe(1)
  nowMs = 501
  expect(await probe()).toEqual({ ok: true, latencyMs: 2, cause: null })
})

test('says and logs once why the database fails, without secrets, and when it is back', async () => {
  const { logger, lines } = createLogLines()
  const full = Object.assign(new Error('could not extend file "s3cret": No space left on device'), { code: '53100' })
  let nowMs = 0
  let fails = true
  const probe = createDatabaseProbe({
    ping: async () => {
      if (fails) throw full
      return 1
    },
    now: () => nowMs,
    logger,
    causeOf: databaseCause,
    redact: text => text.replaceAll('s3cret', '*'),
  })
  const sentence =
    'the database\'s disk is full: free space on the disk of the server; indexing then goes on by itself (could not extend file "*": No space left on device, 53100)'
  for (let time = 1; time <= 3; time++) {
    nowMs = time * 1_000
    expect((await probe()).cause).toEqual({ shown: "the database's disk is full", full: sentence })
  }
  fails = false
  nowMs = 10_000
  expect((await probe()).ok).toBe(true)
  expect(lines().map(({ msg, cause }) => [msg, cause])).toEqual([
    ['the database can not be used', sentence],
    ['the database can be used again', undefined],
  ])
})
