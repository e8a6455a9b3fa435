import { expect, test } from 'vitest'
import { type Condition, healthStatus } from '#gateway/health/readHealth.ts'
import type { BackfillProgress } from '#resources/health.ts'
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
