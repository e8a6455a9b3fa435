import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client'
import type { EthUsd } from '#resources/ethUsd.ts'
import type { IndexerHealth, IndexerState, KeyUsage, LaunchpadProgress } from '#resources/health.ts'
import type { EventLoopState } from './eventLoopWatch.ts'
import type { LatencySnapshot } from './latencyHistogram.ts'

export interface MetricsOptions {
  readonly version: string
  readonly chainId: number
  /** The schema of the index that is served now. With the chain it is a label of every own metric: Prometheus tells indexes apart by it. */
  readonly schema: () => string
  /** Reads everything for one scrape. Must not reject. */
  readonly read: () => Promise<MetricsReading>
}

export interface Metrics {
  readonly contentType: string
  render(): Promise<string>
  observeRequest(request: AnsweredRequest): void
}

/** The metrics in Prometheus' text format, read anew at each scrape. */
export function createMetrics({ version, chainId, schema, read }: MetricsOptions): Metrics {
  const registry = new Registry()
  const registers = [registry]
  /** Those of Node, which are of no index. */
  const ofProcess = new Registry()
  collectDefaultMetrics({ register: ofProcess })
  let reading: MetricsReading | null = null
  /** A metric whose samples are computed at each scrape, in the shape that prom-client's registry reads and has no type for. */
  const addComputed = ([name, help]: Described, type: string, toSamples: (current: MetricsReading) => readonly Sample[]) => {
    const description = { name: `tokenwire_${name}`, help, type }
    const get = async () => ({ ...description, values: reading === null ? [] : toSamples(reading) })
    registry.registerMetric({ ...description, get } as unknown as Metric)
  }

  const help = 'Always 1; the labels tell what runs.'
  new Gauge({ name: 'tokenwire_build_info', help, labelNames: ['version'], registers }).set({ version }, 1)
  for (const row of GAUGES) addComputed(row, 'gauge', current => samplesOf(row, current))
  for (const row of COUNTERS) addComputed(row, 'counter', current => samplesOf(row, current))
  addComputed(COMMIT_TO_DELIVERY, 'histogram', current => bucketsOf(current.commitToDelivery))

  return {
    contentType: registry.contentType,
    async render() {
      reading = await read()
      registry.setDefaultLabels({ chain_id: String(chainId), schema: schema() })
      return `${await ofProcess.metrics()}${await registry.metrics()}`
    },
    observeRequest: createRequestMetrics(registers),
  }
}

interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
  readonly metricName?: string
}

type Described = readonly [name: string, help: string, ...unknown[]]

const COMMIT_TO_DELIVERY: Described = [
  'commit_to_delivery_seconds',
  'Time from the commit of a block to the write of an update to a socket.',
]

function samplesOf([, , read]: MetricRow, reading: MetricsReading): readonly Sample[] {
  const value = read(reading)
  const values: Labelled = typeof value === 'object' && value !== null ? value : [[{}, value]]
  return values.flatMap(([labels, one]) => (one === null || one === undefined ? [] : [{ labels, value: Number(one) }]))
}

/** Deliveries are too many for prom-client's own histogram, so another one counts them and this writes its buckets, made cumulative. */
function bucketsOf({ boundsMs, counts, sumMs }: LatencySnapshot): readonly Sample[] {
  const name = `tokenwire_${COMMIT_TO_DELIVERY[0]}`
  let count = 0
  const buckets = counts.map((inBucket, index) => {
    count += inBucket
    const bound = boundsMs[index]
    return { metricName: `${name}_bucket`, labels: { le: bound === undefined ? '+Inf' : String(bound / 1_000) }, value: count }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels: {}, value: sumMs / 1_000 },
    { metricName: `${name}_count`, labels: {}, value: count },
  ]
}

export interface MetricsReading extends Pick<IndexerHealth, 'launchpads' | 'database' | 'feed' | 'actors' | 'realtime'> {
  readonly indexer: IndexerState
  /** Empty: not read yet. */
  readonly tables: readonly { readonly table: string; readonly rows: number; readonly bytes: number; readonly indexBytes: number }[]
  readonly commitToDelivery: LatencySnapshot
  readonly ethUsd: EthUsd | null
  readonly metadata: MetadataState
  readonly skippedLogs: readonly { readonly launchpad: string; readonly event: string; readonly count: number }[]
  readonly keys: readonly KeyUsage[]
  readonly refusedConnections: { readonly client: number; readonly process: number }
  readonly eventLoops: Readonly<Record<string, EventLoopState>>
  readonly droppedLogLines: number
}

export interface MetadataState {
  /** URIs that are to be read, now or later; `null`: not counted yet. */
  readonly queued: number | null
  readonly underWay: number
  readonly outcomes: Readonly<Record<string, number>>
}

type Value = number | boolean | null | undefined
type Labelled = readonly (readonly [labels: Readonly<Record<string, string>>, value: Value])[]

/** The name lacks its prefix `tokenwire_`. An unknown value (`null` or `undefined`) is left out, since 0 would be a claim. */
type MetricRow = readonly [name: string, help: string, read: (reading: MetricsReading) => Value | Labelled]

const GAUGES: readonly MetricRow[] = [
  ['head_block', 'Newest block of the chain that the RPC providers report.', r => r.indexer.headBlock],
  ['confirmed_block', 'Newest block that is deep enough to be indexed.', r => r.indexer.confirmedBlock],
  ['indexed_block', 'Newest block that is committed to the database.', r => r.indexer.indexedBlock],
  ['index_lag_blocks', 'Confirmed blocks that are not indexed yet.', r => r.indexer.lagBlocks],
  ['index_lag_seconds', 'Age of the newest indexed block behind the newest confirmed one.', r => r.indexer.lagSeconds],
  ['head_unchanged_seconds', 'For how long the newest block has been the same.', r => r.indexer.headUnchangedSeconds],
  ['index_stalled', '1 when nothing is indexed though the chain moves, or indexing has stopped.', r => r.indexer.stalled],
  ['reorg_last_depth_blocks', 'Blocks that the last reorg replaced.', r => r.indexer.reorgs.lastDepth],
  ['backfill_active', '1 while history is indexed in block ranges.', r => r.indexer.backfill !== null],
  ['backfill_progress_ratio', 'Share of the backfill that is done, 0 to 1.', r => ratio(r.indexer.backfill?.percent)],
  ['backfill_blocks_per_second', 'Blocks per second that the backfill indexes.', r => r.indexer.backfill?.blocksPerSecond],
  ['backfill_events_per_second', 'Events per second that the backfill indexes.', r => r.indexer.backfill?.eventsPerSecond],
  ['backfill_remaining_seconds', 'Estimated time until the backfill is done.', r => r.indexer.backfill?.secondsLeft],
  ['launchpad_blocks_left', 'Blocks that are not indexed of the launchpad yet.', r => perLaunchpad(r, ({ blocksLeft }) => blocksLeft)],
  [
    'launchpad_events_per_second',
    'Events per second that are indexed of a launchpad that is to join.',
    r => perLaunchpad(r, ({ eventsPerSecond }) => eventsPerSecond),
  ],
  ['launchpad_remaining_seconds', 'Estimated time until the launchpad joins.', r => perLaunchpad(r, ({ secondsLeft }) => secondsLeft)],
  ['rpc_up', '1 when the RPC provider is healthy.', r => perProvider(r, rpc => rpc.healthy)],
  ['rpc_latency_seconds', 'Recent latency of the RPC provider.', r => perProvider(r, rpc => seconds(rpc.latencyMs))],
  ['rpc_error_ratio', 'Share of failed calls to the RPC provider in the recent past.', r => perProvider(r, rpc => rpc.errorRate)],
  [
    'rpc_range_blocks',
    'Blocks for which the RPC provider is asked at once when logs are fetched in ranges.',
    r => perProvider(r, rpc => rpc.rangeBlocks),
  ],
  [
    'rpc_silent_seconds',
    'For how long the RPC provider asks not to be called; 0: it may be.',
    r => perProvider(r, rpc => rpc.silentSeconds ?? 0),
  ],
  ['database_up', '1 when the database answered the last probe.', r => r.database.ok],
  ['database_latency_seconds', 'Time that the last probe of the database took.', r => seconds(r.database.latencyMs)],
  ['table_rows', 'Rows of the table, as the statistics of the database count them.', r => perTable(r, table => table.rows)],
  ['table_bytes', 'Bytes of the table in the database, without its indexes.', r => perTable(r, table => table.bytes)],
  ['table_index_bytes', "Bytes of the table's indexes.", r => perTable(r, table => table.indexBytes)],
  ['feed_connected', '1 when committed blocks arrive at this process.', r => r.feed.connected],
  ['feed_waiting_seconds', 'For how long the oldest commit that has arrived waits to be passed on.', r => seconds(r.feed.waitingMs)],
  ['feed_behind_blocks', 'Indexed blocks that this process has not passed on yet.', r => r.feed.behindBlocks],
  [
    'feed_replica_behind_seconds',
    'For how long the replica has not shown the newest announced commit.',
    r => seconds(r.feed.replica?.behindMs ?? null),
  ],
  ['actors', 'Token actors by state.', r => perLabel('state', r.actors.byState)],
  ['actor_subscribers', 'Subscribers of all token actors.', r => r.actors.subscribers],
  [
    'connections',
    'Open realtime connections.',
    ({ realtime: { webSocketConnections, eventStreams } }) =>
      perLabel('transport', { websocket: webSocketConnections, event_stream: eventStreams }),
  ],
  ['subscriptions', 'Subscriptions of all connections.', r => r.realtime.subscriptions],
  [
    'key_connections',
    'Open WebSockets and event streams with an API key, by the name of the key.',
    r => r.keys.map(({ name, connections }) => [{ key: name }, connections]),
  ],
  ['updates_per_second', 'Updates of tokens per second in the recent past.', r => r.realtime.updatesPerSecond],
  ['eth_usd_age_seconds', 'Age of the newest ETH/USD price.', r => r.ethUsd?.ageSeconds],
  ['eth_usd_stale', '1 when the newest ETH/USD price could not be renewed.', r => r.ethUsd?.stale],
  ['metadata_queue', 'Metadata URIs that are to be read, now or later, counted up to 100,000.', r => r.metadata.queued],
  ['metadata_under_way', 'Metadata URIs that are being read.', r => r.metadata.underWay],
  [
    'event_loop_delay_p99_seconds',
    "The delay that one in a hundred timers of the thread's event loop had in the last ten to twenty seconds.",
    r => perThread(r, loop => seconds(loop.delayP99Ms)),
  ],
  [
    'event_loop_longest_stall_seconds',
    "The longest time that the thread's event loop did nothing else.",
    r => perThread(r, loop => seconds(loop.longestStallMs)),
  ],
]

const COUNTERS: readonly MetricRow[] = [
  ['reorgs_total', 'Reorgs that replaced indexed blocks.', r => r.indexer.reorgs.count],
  ['log_lines_dropped_total', 'Lines of the log that nobody read in time, or that no disk took.', r => r.droppedLogLines],
  ['feed_reconnects_total', 'Times that what carries committed blocks was connected again.', r => r.feed.reconnects],
  ['deliveries_total', 'Updates that were written to sockets.', r => r.realtime.deliveredTotal],
  [
    'conflations_total',
    'Updates that a newer one of the same token replaced before a slow reader took them.',
    r => r.realtime.conflatedTotal,
  ],
  [
    'connections_refused_total',
    'WebSockets and event streams that were refused, by the limit that was reached: of one client, or of the process.',
    r => perLabel('limit', { ...r.refusedConnections }),
  ],
  [
    'key_requests_total',
    'Requests with an API key, by the name of the key and whether its limit admitted them.',
    r =>
      r.keys.flatMap(
        ({ name, requests, refusedRequests }): Labelled => [
          [{ key: name, outcome: 'admitted' }, requests],
          [{ key: name, outcome: 'refused' }, refusedRequests],
        ],
      ),
  ],
  [
    'key_connections_total',
    'WebSockets and event streams with an API key, by the name of the key and whether they were opened.',
    r =>
      r.keys.flatMap(
        ({ name, openedConnections, refusedConnections }): Labelled => [
          [{ key: name, outcome: 'opened' }, openedConnections],
          [{ key: name, outcome: 'refused' }, refusedConnections],
        ],
      ),
  ],
  ['metadata_attempts_total', 'Attempts to read a metadata URI, by outcome.', r => perLabel('outcome', r.metadata.outcomes)],
  [
    'skipped_logs_total',
    'Logs of known contracts that do not fit their event, by launchpad and first topic. A block that is read again counts again.',
    r => r.skippedLogs.map(({ launchpad, event, count }) => [{ launchpad, event }, count]),
  ],
  [
    'event_loop_stalls_total',
    "Times that the thread's event loop did nothing else for half a second or longer.",
    r => perThread(r, loop => loop.stallsTotal),
  ],
]

const seconds = (ms: number | null) => (ms === null ? null : ms / 1_000)
const ratio = (percent: number | undefined) => (percent === undefined ? null : percent / 100)

function perLabel(label: string, values: Readonly<Record<string, number>>): Labelled {
  return Object.entries(values).map(([labelValue, value]) => [{ [label]: labelValue }, value])
}

function perLaunchpad({ launchpads }: MetricsReading, read: (one: LaunchpadProgress) => Value): Labelled {
  return launchpads.map(one => [{ launchpad: one.name, state: one.state }, read(one)])
}

function perProvider({ indexer }: MetricsReading, read: (rpc: IndexerState['rpc'][number]) => Value): Labelled {
  return indexer.rpc.map(rpc => [{ provider: rpc.name }, read(rpc)])
}

function perThread({ eventLoops }: MetricsReading, read: (loop: EventLoopState) => Value): Labelled {
  return Object.entries(eventLoops).map(([thread, loop]) => [{ thread }, read(loop)])
}

function perTable({ tables }: MetricsReading, read: (table: MetricsReading['tables'][number]) => Value): Labelled {
  return tables.map(table => [{ table: table.table }, read(table)])
}

export interface AnsweredRequest {
  /** `other`: a method that is not allowed. Clients may invent any number of methods, and a label needs few values. */
  readonly method: 'GET' | 'HEAD' | 'OPTIONS' | 'other'
  /** The pattern of the route, such as `/api/tokens/:address`; `null`: no route was reached. */
  readonly route: string | null
  /** 499: the client went away before the answer. */
  readonly status: number
  readonly durationMs: number
}

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** Counts the answered requests that the returned function is called with, in these registries. */
function createRequestMetrics(registers: Registry[]): (request: AnsweredRequest) => void {
  const requests = new Counter({
    name: 'tokenwire_http_requests_total',
    help: 'Answered HTTP requests.',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: 'tokenwire_http_request_duration_seconds',
    help: 'Time from a request to its answer.',
    labelNames: ['route'],
    buckets: REQUEST_SECONDS,
    registers,
  })
  return ({ method, route: pattern, status, durationMs }) => {
    const route = pattern ?? 'unknown'
    requests.inc({ method, route, status: String(status) })
    durations.observe({ route }, durationMs / 1_000)
  }
}
