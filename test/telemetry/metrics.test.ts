import { describe, expect, it } from 'vitest'
import { type IndexerState, type RealtimeHealth, UNKNOWN_INDEXER } from '#resources/health.ts'
import { createLatencyHistogram } from '#telemetry/latencyHistogram.ts'
import { createMetrics, type Metrics, type MetricsReading } from '#telemetry/metrics.ts'
import { rpcHealth } from '#test/support/rpcHealth.ts'

const INDEXER: IndexerState = {
  ...UNKNOWN_INDEXER,
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
  rpc: [rpcHealth({ errorRate: 0.25 }), rpcHealth({ name: 'rpc-2', healthy: false, latencyMs: null, errorRate: 1, silentSeconds: 30 })],
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

describe('createMetrics', () => {
  it('writes what the sources say, in base units', async () => {
    expect(await samples(metricsOf({ commitToDelivery: { boundsMs: [], counts: [0], sumMs: 0 } }))).toEqual({
      'tokenwire_build_info{version="1.2.3"}': 1,
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
      'tokenwire_table_rows{table="trade"}': 12,
      'tokenwire_table_bytes{table="trade"}': 8_192,
      'tokenwire_table_index_bytes{table="trade"}': 16_384,
      tokenwire_feed_connected: 1,
      tokenwire_feed_waiting_seconds: 1.5,
      tokenwire_feed_behind_blocks: 2,
      tokenwire_feed_replica_behind_seconds: 0.02,
      tokenwire_feed_reconnects_total: 1,
      tokenwire_log_lines_dropped_total: 2,
      tokenwire_actor_subscribers: 41,
      tokenwire_subscriptions: 50,
      'tokenwire_connections_refused_total{limit="client"}': 4,
      'tokenwire_connections_refused_total{limit="process"}': 0,
      'tokenwire_key_connections{key="shop"}': 1,
      'tokenwire_key_requests_total{key="shop",outcome="admitted"}': 9,
      'tokenwire_key_requests_total{key="shop",outcome="refused"}': 2,
      'tokenwire_key_connections_total{key="shop",outcome="opened"}': 5,
      'tokenwire_key_connections_total{key="shop",outcome="refused"}': 0,
      tokenwire_updates_per_second: 12.5,
      tokenwire_metadata_queue: 12,
      tokenwire_metadata_under_way: 3,
      'tokenwire_metadata_attempts_total{outcome="read"}': 40,
      'tokenwire_metadata_attempts_total{outcome="not_found"}': 2,
      'tokenwire_skipped_logs_total{launchpad="wow",event="0xab"}': 4,
      tokenwire_eth_usd_age_seconds: 80,
      tokenwire_eth_usd_stale: 1,
      'tokenwire_launchpad_blocks_left{launchpad="wow",state="backfilling"}': 90,
      'tokenwire_launchpad_events_per_second{launchpad="wow",state="backfilling"}': 4.5,
      'tokenwire_rpc_up{provider="rpc-1"}': 1,
      'tokenwire_rpc_up{provider="rpc-2"}': 0,
      'tokenwire_rpc_latency_seconds{provider="rpc-1"}': 0.012,
      'tokenwire_rpc_error_ratio{provider="rpc-1"}': 0.25,
      'tokenwire_rpc_error_ratio{provider="rpc-2"}': 1,
      'tokenwire_rpc_range_blocks{provider="rpc-1"}': 100_000,
      'tokenwire_rpc_range_blocks{provider="rpc-2"}': 100_000,
      'tokenwire_rpc_silent_seconds{provider="rpc-1"}': 0,
      'tokenwire_rpc_silent_seconds{provider="rpc-2"}': 30,
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
    const read = async () => ({ ...READING, indexer, actors: { total: 0, byState, subscribers: 0 }, ethUsd: null })
    const metrics = createMetrics({ version: '1.2.3', chainId: 8453, schema: () => 'public', read })
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
    const found = await samples(metricsOf({ commitToDelivery: { boundsMs: [1, 10], counts: [2, 2, 1], sumMs: 24.5 } }))
    expect(Object.entries(found).filter(([name]) => name.includes('commit_to_delivery'))).toEqual([
      ['tokenwire_commit_to_delivery_seconds_bucket{le="0.001"}', 2],
      ['tokenwire_commit_to_delivery_seconds_bucket{le="0.01"}', 4],
      ['tokenwire_commit_to_delivery_seconds_bucket{le="+Inf"}', 5],
      ['tokenwire_commit_to_delivery_seconds_sum', 0.0245],
      ['tokenwire_commit_to_delivery_seconds_count', 5],
    ])
  })

  it('counts requests by route and status', async () => {
    const metrics = metricsOf()
    const request = { route: '/api/tokens/:address', method: 'GET', durationMs: 4 } as const
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
    const metrics = metricsOf()
    const text = await metrics.render()
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

  it('says of every metric of its own of which chain and schema it is, also beside another of its kind', async () => {
    const [one, other] = [metricsOf(), metricsOf({}, 1)]
    for (const [metrics, chain] of [
      [one, 8453],
      [other, 1],
    ] as const) {
      const own = (await metrics.render()).split('\n').filter(line => line.startsWith('tokenwire_'))
      expect(own.filter(line => !line.includes(`chain_id="${chain}",schema="public"`))).toEqual([])
    }
  })
})

describe('createLatencyHistogram', () => {
  it('counts each latency in the bucket of the smallest bound that it does not exceed', () => {
    const latencies = createLatencyHistogram()
    for (const ms of [0, 0.1, 0.11, 10_000, 1_000_000]) latencies.record(ms, 1)
    latencies.record(1, 16)
    const { boundsMs, counts, sumMs } = latencies.snapshot()
    expect(counts).toHaveLength(boundsMs.length + 1)
    const byBound = Object.fromEntries([...boundsMs, 'more'].map((bound, index) => [bound, counts[index]]))
    expect(Object.entries(byBound).filter(([, count]) => count !== 0)).toEqual(
      Object.entries({ 1: 16, 10_000: 1, 0.1: 2, 0.2: 1, more: 1 }),
    )
    expect(sumMs).toBeCloseTo(1_010_016.21)
  })
})

function metricsOf(changes: Partial<MetricsReading> = {}, chainId = 8453): Metrics {
  return createMetrics({ version: '1.2.3', chainId, schema: () => 'public', read: async () => ({ ...READING, ...changes }) })
}

/** The samples of Tokenwire's own metrics, as Prometheus would read them, without the labels that all of them have. */
async function samples(metrics: Metrics): Promise<Readonly<Record<string, number>>> {
  const own = (await metrics.render()).split('\n').filter(line => line.startsWith('tokenwire_'))
  const lines = own.map(line =>
    line
      .replace(/chain_id="\d+",schema="public",?/, '')
      .replace(',}', '}')
      .replace('{}', ''),
  )
  return Object.fromEntries(lines.map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]))
}

const READING: MetricsReading = {
  indexer: INDEXER,
  launchpads: [{ name: 'wow', state: 'backfilling', indexedBlock: '7', blocksLeft: 90, eventsPerSecond: 4.5, secondsLeft: null }],
  feed: {
    carrier: 'nats',
    connected: true,
    disconnectedMs: 0,
    waitingMs: 1_500,
    behindBlocks: 2,
    reconnects: 1,
    replica: { inUse: true, behindMs: 20 },
  },
  database: { ok: true, latencyMs: 1.5 },
  tables: [{ table: 'trade', rows: 12, bytes: 8_192, indexBytes: 16_384 }],
  actors: { total: 3, byState: { live: 2, activating: 1 }, subscribers: 41 },
  realtime: REALTIME,
  commitToDelivery: createLatencyHistogram().snapshot(),
  ethUsd: {
    price: '3000',
    currency: 'USD',
    source: 'coinbase',
    fetchedAt: '2026-01-01T00:00:00.000Z',
    ageSeconds: 80,
    stale: true,
  },
  metadata: { queued: 12, underWay: 3, outcomes: { read: 40, not_found: 2 } },
  droppedLogLines: 2,
  skippedLogs: [{ launchpad: 'wow', event: '0xab', count: 4 }],
  refusedConnections: { client: 4, process: 0 },
  keys: [
    {
      name: 'shop',
      requests: 9,
      refusedRequests: 2,
      maxRequestsPerMinute: null,
      connections: 1,
      maxConnections: 100,
      openedConnections: 5,
      refusedConnections: 0,
    },
  ],
  eventLoops: {
    main: { stallsTotal: 3, longestStallMs: 750, delayP99Ms: 20 },
    indexing: { stallsTotal: 0, longestStallMs: 0, delayP99Ms: 5 },
  },
}
