import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client'
import type { EthUsd } from '#domain/ethUsd.ts'
import type { ActorsHealth, IndexerState, RealtimeHealth } from '#domain/health.ts'
import type { EventLoopState } from './eventLoopWatch.ts'
import type { LatencySnapshot } from './latencyHistogram.ts'

/** Connections of the database's pool; `waiting` are statements without one. */
export interface PoolState {
  readonly total: number
  readonly idle: number
  readonly waiting: number
}

/** What the metrics read each time they are asked for. None of these waits or throws. */
export interface MetricsSources {
  readonly version: string
  readonly chainId: number
  indexer(): IndexerState
  /** As last probed; `null` before the first time. */
  database(): { readonly ok: boolean; readonly latencyMs: number | null } | null
  pool(): PoolState | null
  actors(): ActorsHealth
  realtime(): RealtimeHealth
  commitToDelivery(): LatencySnapshot
  /** The newest price, however old. */
  ethUsd(): EthUsd | null
  metadata(): MetadataState
  /** By thread. */
  eventLoops(): Readonly<Record<string, EventLoopState>>
}

/** How the reading of tokens' metadata URIs goes. */
export interface MetadataState {
  /** URIs that are to be read, now or later; `null`: not counted yet. */
  readonly queued: number | null
  readonly underWay: number
  /** Attempts by outcome since the start. Outcomes are few. */
  readonly outcomes: Readonly<Record<string, number>>
}

export interface HttpObservation {
  /** The pattern of the route (`/api/tokens/:address`), never the path that was asked: its values must be few. */
  readonly route: string
  readonly method: string
  readonly status: number
  readonly durationMs: number
}

export interface Metrics {
  readonly contentType: string
  /** The metrics in Prometheus' text format. */
  metrics(): Promise<string>
  observeRequest(observation: HttpObservation): void
}

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

type Read<T> = (sources: MetricsSources) => T
type GaugeRow = readonly [name: string, help: string, read: Read<number | boolean | null | undefined>]
type LabelledRow = readonly [
  name: string,
  help: string,
  label: string,
  read: Read<readonly (readonly [label: string, value: number | boolean | null])[]>,
]
type CounterRow = readonly [name: string, help: string, read: Read<number>]

const GAUGES: readonly GaugeRow[] = [
  ['head_block', 'Newest block of the chain that the RPC providers report.', s => s.indexer().headBlock],
  ['confirmed_block', 'Newest block that is deep enough to be indexed.', s => s.indexer().confirmedBlock],
  ['indexed_block', 'Newest block that is committed to the database.', s => s.indexer().indexedBlock],
  ['index_lag_blocks', 'Confirmed blocks that are not indexed yet.', s => s.indexer().lagBlocks],
  ['index_lag_seconds', 'Age of the newest indexed block behind the newest confirmed one.', s => s.indexer().lagSeconds],
  ['head_unchanged_seconds', 'For how long the newest block has been the same.', s => s.indexer().headUnchangedSeconds],
  ['index_stalled', '1 when nothing is indexed though the chain moves, or indexing has stopped.', s => s.indexer().stalled],
  ['reorg_last_depth_blocks', 'Blocks that the last reorg replaced.', s => s.indexer().reorgs.lastDepth],
  ['backfill_active', '1 while history is indexed in block ranges.', s => s.indexer().backfill !== null],
  ['backfill_progress_ratio', 'Share of the backfill that is done, 0 to 1.', s => ratio(s.indexer().backfill?.percent)],
  ['backfill_blocks_per_second', 'Blocks per second that the backfill indexes.', s => s.indexer().backfill?.blocksPerSecond],
  ['backfill_events_per_second', 'Events per second that the backfill indexes.', s => s.indexer().backfill?.eventsPerSecond],
  ['backfill_remaining_seconds', 'Estimated time until the backfill is done.', s => s.indexer().backfill?.secondsLeft],
  ['database_up', '1 when the database answered the last probe.', s => s.database()?.ok],
  ['database_latency_seconds', 'Time that the last probe of the database took.', s => seconds(s.database()?.latencyMs)],
  ['database_pool_waiting', 'Statements that wait for a connection of the pool.', s => s.pool()?.waiting],
  ['actor_subscribers', 'Subscribers of all token actors.', s => s.actors().subscribers],
  ['subscriptions', 'Subscriptions of all connections.', s => s.realtime().subscriptions],
  ['updates_per_second', 'Updates of tokens per second in the recent past.', s => s.realtime().updatesPerSecond],
  ['eth_usd_age_seconds', 'Age of the newest ETH/USD price.', s => s.ethUsd()?.ageSeconds],
  ['metadata_queue', 'Metadata URIs that are to be read, now or later, counted up to 100,000.', s => s.metadata().queued],
  ['metadata_under_way', 'Metadata URIs that are being read.', s => s.metadata().underWay],
  ['eth_usd_stale', '1 when the newest ETH/USD price could not be renewed.', s => s.ethUsd()?.stale],
]

const LABELLED: readonly LabelledRow[] = [
  ['rpc_up', '1 when the RPC provider is healthy.', 'provider', s => s.indexer().rpc.map(rpc => [rpc.name, rpc.healthy])],
  [
    'rpc_latency_seconds',
    'Recent latency of the RPC provider.',
    'provider',
    s => s.indexer().rpc.map(rpc => [rpc.name, seconds(rpc.latencyMs)]),
  ],
  [
    'rpc_error_ratio',
    'Share of failed calls to the RPC provider in the recent past.',
    'provider',
    s => s.indexer().rpc.map(rpc => [rpc.name, rpc.errorRate]),
  ],
  [
    'rpc_range_blocks',
    'Blocks for which the RPC provider is asked at once when logs are fetched in ranges.',
    'provider',
    s => s.indexer().rpc.map(rpc => [rpc.name, rpc.rangeBlocks ?? null]),
  ],
  ['database_pool_connections', 'Connections of the database pool.', 'state', s => poolStates(s.pool())],
  ['actors', 'Token actors by state.', 'state', s => Object.entries(s.actors().byState)],
  ['connections', 'Open realtime connections.', 'transport', s => transports(s.realtime())],
  [
    'event_loop_delay_p99_seconds',
    "The delay that one in a hundred timers of the thread's event loop had in the last ten to twenty seconds.",
    'thread',
    s => perThread(s, loop => seconds(loop.delayP99Ms)),
  ],
  [
    'event_loop_longest_stall_seconds',
    "The longest time that the thread's event loop did nothing else.",
    'thread',
    s => perThread(s, loop => seconds(loop.longestStallMs)),
  ],
]

const COUNTERS: readonly CounterRow[] = [
  ['reorgs_total', 'Reorgs that replaced indexed blocks.', s => s.indexer().reorgs.count],
  ['deliveries_total', 'Updates that were written to sockets.', s => s.realtime().deliveredTotal],
  [
    'conflations_total',
    'Updates that a newer one of the same token replaced before a slow reader took them.',
    s => s.realtime().conflatedTotal,
  ],
]

const LABELLED_COUNTERS: readonly LabelledRow[] = [
  ['metadata_attempts_total', 'Attempts to read a metadata URI, by outcome.', 'outcome', s => Object.entries(s.metadata().outcomes)],
  [
    'event_loop_stalls_total',
    "Times that the thread's event loop did nothing else for half a second or longer.",
    'thread',
    s => perThread(s, loop => loop.stallsTotal),
  ],
]

/** Tokenwire's metrics beside those of the Node process, in a registry of their own. */
export function createMetrics(sources: MetricsSources): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const own = [
    buildInfo(sources),
    ...GAUGES.map(row => gauge(row, sources)),
    ...LABELLED.map(row => labelledGauge(row, sources)),
    ...COUNTERS.map(row => counter(row, sources)),
    ...LABELLED_COUNTERS.map(row => labelledCounter(row, sources)),
    commitToDelivery(sources),
  ]
  for (const metric of own) registry.registerMetric(metric)
  const observeRequest = addRequests([registry])
  return { contentType: registry.contentType, metrics: () => registry.metrics(), observeRequest }
}

function buildInfo({ version, chainId }: MetricsSources): Metric {
  const help = 'Always 1; the labels tell what runs.'
  const info = new Gauge({ name: 'tokenwire_build_info', help, labelNames: ['version', 'chain_id'], registers: [] })
  info.set({ version, chain_id: String(chainId) }, 1)
  return info
}

/** A value that is not known is left out, since `0` would be a statement. */
function gauge([name, help, read]: GaugeRow, sources: MetricsSources): Metric {
  return new Gauge({
    name: `tokenwire_${name}`,
    help,
    registers: [],
    collect() {
      const value = read(sources)
      if (value === null || value === undefined) this.remove()
      else this.set(Number(value))
    },
  })
}

function labelledGauge([name, help, label, read]: LabelledRow, sources: MetricsSources): Metric {
  return new Gauge({
    name: `tokenwire_${name}`,
    help,
    labelNames: [label],
    registers: [],
    collect() {
      this.reset()
      for (const [key, value] of read(sources)) if (value !== null) this.set({ [label]: key }, Number(value))
    },
  })
}

function counter([name, help, read]: CounterRow, sources: MetricsSources): Metric {
  return new Counter({
    name: `tokenwire_${name}`,
    help,
    registers: [],
    collect() {
      this.reset()
      this.inc(read(sources))
    },
  })
}

function labelledCounter([name, help, label, read]: LabelledRow, sources: MetricsSources): Metric {
  return new Counter({
    name: `tokenwire_${name}`,
    help,
    labelNames: [label],
    registers: [],
    collect() {
      this.reset()
      for (const [key, value] of read(sources)) if (value !== null) this.inc({ [label]: key }, Number(value))
    },
  })
}

function addRequests(registers: Registry[]): Metrics['observeRequest'] {
  const total = new Counter({
    name: 'tokenwire_http_requests_total',
    help: 'Answered HTTP requests.',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const duration = new Histogram({
    name: 'tokenwire_http_request_duration_seconds',
    help: 'Time from a request to its answer.',
    labelNames: ['route'],
    buckets: REQUEST_SECONDS,
    registers,
  })
  return ({ method, route, status, durationMs }) => {
    total.inc({ method, route, status: String(status) })
    duration.observe({ route }, durationMs / 1_000)
  }
}

/**
 * Deliveries are too many for prom-client's own histogram, so they are counted elsewhere and only written down here: in the shape that its registry asks of
 * a metric, for which it has no type.
 */
function commitToDelivery(sources: MetricsSources): Metric {
  const name = 'tokenwire_commit_to_delivery_seconds'
  const description = {
    name,
    help: 'Time from the commit of a block to the write of an update to a socket.',
    type: 'histogram',
    aggregator: 'sum',
  }
  const get = async () => {
    const { boundsMs, counts, sumMs } = sources.commitToDelivery()
    let count = 0
    const buckets = counts.map((inRange, index) => {
      count += inRange
      const bound = boundsMs[index]
      return { metricName: `${name}_bucket`, labels: { le: bound === undefined ? '+Inf' : String(bound / 1_000) }, value: count }
    })
    const rest = [
      { metricName: `${name}_sum`, labels: {}, value: sumMs / 1_000 },
      { metricName: `${name}_count`, labels: {}, value: count },
    ]
    return { ...description, values: [...buckets, ...rest] }
  }
  return { ...description, get } as unknown as Metric
}

const seconds = (ms: number | null | undefined) => (ms === null || ms === undefined ? null : ms / 1_000)
const ratio = (percent: number | null | undefined) => (percent === null || percent === undefined ? null : percent / 100)

const perThread = (sources: MetricsSources, read: (loop: EventLoopState) => number | null) =>
  Object.entries(sources.eventLoops()).map(([thread, loop]) => [thread, read(loop)] as const)

const poolStates = (pool: PoolState | null) =>
  pool === null
    ? []
    : ([
        ['idle', pool.idle],
        ['busy', pool.total - pool.idle],
      ] as const)

const transports = (realtime: RealtimeHealth) =>
  [
    ['websocket', realtime.webSocketConnections],
    ['event_stream', realtime.eventStreams],
  ] as const
