import { describe, expect, it } from 'vitest'
import type { IndexerState, RealtimeHealth } from '#domain/health.ts'
import { createLatencyHistogram } from '#telemetry/latencyHistogram.ts'
import { createMetrics, type MetricsSources } from '#telemetry/metrics.ts'

const INDEXER: IndexerState = {
  headBlock: 470,
  confirmedBlock: 467,
  indexedBlock: 466,
  lagBlocks: 1,
  lagSeconds: 2.5,
  backfill: {
    fromBlock: '0',
    toBlock: '467',
    currentBlock: '466',
    percent: 50,
    blocksPerSecond: 120,
    eventsPerSecond: 900,
    secondsLeft: null,
  },
  reorgs: { count: 2, lastDepth: 3, lastAt: '2026-01-01T00:00:00.000Z' },
  rpc: [
    { name: 'rpc-1', healthy: true, latencyMs: 12, errorRate: 0.25 },
    { name: 'rpc-2', healthy: false, latencyMs: null, errorRate: 1 },
  ],
  stalled: false,
  reason: null,
}

const REALTIME: RealtimeHealth = {
  webSocketConnections: 40,
  eventStreams: 3,
  subscriptions: 50,
  updatesPerSecond: 12.5,
  deliveredTotal: 1_000,
  conflatedTotal: 7,
  commitToDeliveryMs: { p50: 1, p99: 2 },
}

function sources(changes: Partial<MetricsSources> = {}): MetricsSources {
  return {
    version: '1.2.3',
    chainId: 8453,
    indexer: () => INDEXER,
    database: () => ({ ok: true, latencyMs: 1.5 }),
    pool: () => ({ total: 10, idle: 6, waiting: 1 }),
    actors: () => ({ total: 3, byState: { live: 2, activating: 1 }, subscribers: 41 }),
    realtime: () => REALTIME,
    commitToDelivery: () => createLatencyHistogram().snapshot(),
    ethUsd: () => ({
      price: '3000',
      currency: 'USD',
      source: 'coinbase',
      fetchedAt: '2026-01-01T00:00:00.000Z',
      ageSeconds: 80,
      stale: true,
    }),
    metadata: () => ({ queued: 12, underWay: 3, outcomes: { read: 40, not_found: 2 } }),
    eventLoops: () => ({
      main: { stallsTotal: 3, longestStallMs: 750, delayP99Ms: 20 },
      indexing: { stallsTotal: 0, longestStallMs: 0, delayP99Ms: 5 },
    }),
    ...changes,
  }
}

/** The samples of Tokenwire's own metrics, as Prometheus would read them. */
async function samples(metrics: { metrics(): Promise<string> }): Promise<Readonly<Record<string, number>>> {
  const lines = (await metrics.metrics()).split('\n').filter(line => line.startsWith('tokenwire_'))
  return Object.fromEntries(lines.map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]))
}

describe('createMetrics', () => {
  it('writes what the sources say, in base units', async () => {
    expect(await samples(createMetrics(sources({ commitToDelivery: () => ({ boundsMs: [], counts: [0], sumMs: 0 }) })))).toEqual({
      'tokenwire_build_info{version="1.2.3",chain_id="8453"}': 1,
      tokenwire_head_block: 470,
      tokenwire_confirmed_block: 467,
      tokenwire_indexed_block: 466,
      tokenwire_index_lag_blocks: 1,
      tokenwire_index_lag_seconds: 2.5,
      tokenwire_index_stalled: 0,
      'tokenwire_event_loop_stalls_total{thread="main"}': 3,
      'tokenwire_event_loop_stalls_total{thread="indexing"}': 0,
      'tokenwire_event_loop_delay_p99_seconds{thread="main"}': 0.02,
      'tokenwire_event_loop_delay_p99_seconds{thread="indexing"}': 0.005,
      'tokenwire_event_loop_longest_stall_seconds{thread="main"}': 0.75,
      'tokenwire_event_loop_longest_stall_seconds{thread="indexing"}': 0,
      tokenwire_reorg_last_depth_blocks: 3,
      tokenwire_backfill_active: 1,
      tokenwire_backfill_progress_ratio: 0.5,
      tokenwire_backfill_blocks_per_second: 120,
      tokenwire_backfill_events_per_second: 900,
      tokenwire_database_up: 1,
      tokenwire_database_latency_seconds: 0.0015,
      tokenwire_database_pool_waiting: 1,
      tokenwire_actor_subscribers: 41,
      tokenwire_subscriptions: 50,
      tokenwire_updates_per_second: 12.5,
      tokenwire_metadata_queue: 12,
      tokenwire_metadata_under_way: 3,
      'tokenwire_metadata_attempts_total{outcome="read"}': 40,
      'tokenwire_metadata_attempts_total{outcome="not_found"}': 2,
      tokenwire_eth_usd_age_seconds: 80,
      tokenwire_eth_usd_stale: 1,
      'tokenwire_rpc_up{provider="rpc-1"}': 1,
      'tokenwire_rpc_up{provider="rpc-2"}': 0,
      'tokenwire_rpc_latency_seconds{provider="rpc-1"}': 0.012,
      'tokenwire_rpc_error_ratio{provider="rpc-1"}': 0.25,
      'tokenwire_rpc_error_ratio{provider="rpc-2"}': 1,
      'tokenwire_database_pool_connections{state="idle"}': 6,
      'tokenwire_database_pool_connections{state="busy"}': 4,
      'tokenwire_actors{state="live"}': 2,
      'tokenwire_actors{state="activating"}': 1,
      'tokenwire_connections{transport="websocket"}': 40,
      'tokenwire_connections{transport="event_stream"}': 3,
      tokenwire_reorgs_total: 2,
      tokenwire_deliveries_total: 1_000,
      tokenwire_conflations_total: 7,
      'tokenwire_commit_to_delivery_seconds_bucket{le="+Inf"}': 0,
      tokenwire_commit_to_delivery_seconds_sum: 0,
      tokenwire_commit_to_delivery_seconds_count: 0,
    })
  })

  it('follows the sources, and leaves out what is not known any more', async () => {
    let indexer: IndexerState = INDEXER
    let byState: Record<string, number> = { live: 2 }
    const metrics = createMetrics(
      sources({ indexer: () => indexer, actors: () => ({ total: 0, byState, subscribers: 0 }), ethUsd: () => null }),
    )
    expect(await samples(metrics)).toMatchObject({
      tokenwire_head_block: 470,
      'tokenwire_actors{state="live"}': 2,
      tokenwire_reorgs_total: 2,
    })
    indexer = { ...INDEXER, headBlock: null, backfill: null, rpc: [], reorgs: { ...INDEXER.reorgs, count: 3 } }
    byState = { passivated: 1 }
    const later = await samples(metrics)
    expect(later).toMatchObject({ 'tokenwire_actors{state="passivated"}': 1, tokenwire_reorgs_total: 3, tokenwire_backfill_active: 0 })
    const gone = ['tokenwire_head_block', 'tokenwire_actors{state="live"}', 'tokenwire_rpc_up{provider="rpc-1"}', 'tokenwire_eth_usd_stale']
    expect(Object.keys(later).filter(name => gone.includes(name) || name.startsWith('tokenwire_backfill_progress'))).toEqual([])
  })

  it('has a cumulative histogram of deliveries', async () => {
    const latencies = createLatencyHistogram([1, 10])
    for (const ms of [0.5, 1, 2, 10, 11]) latencies.record(ms)
    const found = await samples(createMetrics(sources({ commitToDelivery: () => latencies.snapshot() })))
    expect(Object.entries(found).filter(([name]) => name.includes('commit_to_delivery'))).toEqual([
      ['tokenwire_commit_to_delivery_seconds_bucket{le="0.001"}', 2],
      ['tokenwire_commit_to_delivery_seconds_bucket{le="0.01"}', 4],
      ['tokenwire_commit_to_delivery_seconds_bucket{le="+Inf"}', 5],
      ['tokenwire_commit_to_delivery_seconds_sum', 0.0245],
      ['tokenwire_commit_to_delivery_seconds_count', 5],
    ])
  })

  it('counts requests by route and status', async () => {
    const metrics = createMetrics(sources())
    const request = { route: '/api/tokens/:address', method: 'GET', durationMs: 4 }
    metrics.observeRequest({ ...request, status: 200 })
    metrics.observeRequest({ ...request, status: 200 })
    metrics.observeRequest({ ...request, status: 404 })
    expect(await samples(metrics)).toMatchObject({
      'tokenwire_http_requests_total{method="GET",route="/api/tokens/:address",status="200"}': 2,
      'tokenwire_http_requests_total{method="GET",route="/api/tokens/:address",status="404"}': 1,
      'tokenwire_http_request_duration_seconds_bucket{le="0.0025",route="/api/tokens/:address"}': 0,
      'tokenwire_http_request_duration_seconds_bucket{le="0.005",route="/api/tokens/:address"}': 3,
    })
  })

  it('tells about the process, the delay of its event loop included, and every metric has a help text', async () => {
    const metrics = createMetrics(sources())
    const text = await metrics.metrics()
    expect(metrics.contentType).toMatch(/^text\/plain; version=0\.0\.4/)
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m)
    expect(text).toMatch(/^process_cpu_seconds_total \d/m)
    const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)]
    const helps = new Set([...text.matchAll(/^# HELP (\S+) \S+/gm)].map(match => match[1]))
    expect(types.filter(([, name]) => !helps.has(name))).toEqual([])
    expect(
      types.filter(([, name = '', type]) => name.startsWith('tokenwire_') && (type === 'counter') !== name.endsWith('_total')),
    ).toEqual([])
  })

  it('can stand beside another of its kind', async () => {
    const [one, other] = [createMetrics(sources()), createMetrics(sources({ chainId: 1 }))]
    expect(await samples(one)).toHaveProperty(['tokenwire_build_info{version="1.2.3",chain_id="8453"}'])
    expect(await samples(other)).toHaveProperty(['tokenwire_build_info{version="1.2.3",chain_id="1"}'])
  })
})

describe('createLatencyHistogram', () => {
  it('answers quantiles by the upper bound of their range', () => {
    const latencies = createLatencyHistogram()
    expect(latencies.quantileMs(0.5)).toBeNull()
    for (let ms = 1; ms <= 100; ms++) latencies.record(ms)
    expect(latencies.quantileMs(0)).toBe(1)
    expect(latencies.quantileMs(0.5)).toBe(50)
    expect(latencies.quantileMs(0.99)).toBe(100)
    latencies.record(1_000_000)
    expect(latencies.quantileMs(1)).toBe(10_000)
    expect(latencies.snapshot()).toMatchObject({ sumMs: 1_005_050 })
  })
})
