import { Writable } from 'node:stream'
import pino from 'pino'
import type { Config } from '#config'
import { INTEGRATIONS } from '#configuration/settings.ts'
import { TokenwireError } from '#errors'
import { createAdmission } from '#gateway/admission/admission.ts'
import { createDatabaseProbe } from '#gateway/health/readHealth.ts'
import { createServer, type ServerDeps } from '#gateway/listening/server.ts'
import { operatorPolicy } from '#gateway/operator.ts'
import { integrationRoutes } from '#integrations/integrationRoutes.ts'
import type { ActorState } from '#resources/actors.ts'
import type { EthUsd } from '#resources/ethUsd.ts'
import { type FeedHealth, type IndexerState, type ProcessState, type RealtimeHealth, UNKNOWN_INDEXER } from '#resources/health.ts'
import { closedAfterFile } from '#test/support/closeAfterFile.ts'
import { rpcHealth } from '#test/support/rpcHealth.ts'
import { addressOf, tokenOf } from '#test/support/snapshots.ts'
import { type MemoryReads, memoryReads, type Stored } from './memoryReads.ts'

/** The token that every gateway of these tests has. */
export const TOKEN = addressOf(0xa1)
export const NOT_INDEXED = addressOf(0xdead)

export const CONFIG = {
  role: 'all' as const,
  host: '127.0.0.1',
  drainSeconds: 0,
  tls: null,
  operatorToken: null,
  operatorLoopbackOpen: true,
  trustProxy: 0,
  pathPrefix: '',
  explorerUrl: null,
  launchpads: { weth: addressOf(0xee), launchpads: [] },
  allowedOrigins: ['http://localhost:*', 'https://*.example.com'],
  requireOrigin: false,
  integrations: INTEGRATIONS,
  rateLimitPerMinute: 0,
  apiKeys: null,
  maxConnections: 100,
  maxConnectionsPerIp: 10,
  maxSubscriptionsPerConnection: 200,
  maxMessagesPerSecond: 50,
} satisfies Partial<Config>

export interface Conditions {
  indexer: IndexerState
  chain: { headBlock: number | null; blockTimeMs: number | null; baseFeeGwei: string | null }
  /** `null`: no provider ever answered. */
  price: EthUsd | null
  feed: FeedHealth
  actors: ActorState[]
  processes: ProcessState[]
}

export interface Gateway {
  readonly url: string
  readonly port: number
  readonly reads: MemoryReads
  /** What the fakes answer; tests change it. */
  readonly conditions: Conditions
  readonly log: readonly Record<string, unknown>[]
  get(path: string, headers?: Record<string, string>): Promise<Response>
  /** What a list answers, with status 200. */
  list<Row>(path: string): Promise<ListAnswer<Row>>
  renewCertificate(): void
  close(): Promise<void>
}

export interface ListAnswer<Row> {
  readonly data: readonly Row[]
  readonly nextCursor: string | null
}

export type GatewayOptions = Partial<Omit<ServerDeps, 'config' | 'realtime' | 'metrics'>> & {
  readonly realtime?: Partial<ServerDeps['realtime']>
  readonly metrics?: Partial<ServerDeps['metrics']>
  readonly config?: Partial<typeof CONFIG> | Partial<Pick<Config, keyof typeof CONFIG>>
  readonly stored?: Partial<Stored>
  /** Default: any free one. */
  readonly port?: number
  /** What is in the file for the operator token. Default: it could not be written. */
  readonly localToken?: string | null
}

/** A gateway over memory, which is closed at the end of the test file. */
export async function startGateway({
  config: configured = {},
  stored = {},
  port: askedPort = 0,
  now = () => performance.now(),
  realtime = {},
  metrics = {},
  localToken = null,
  ...deps
}: GatewayOptions = {}): Promise<Gateway> {
  const config = { ...CONFIG, ...configured }
  const log: Record<string, unknown>[] = []
  const logger = pino({ level: 'debug' }, lines(log))
  const reads = memoryReads({ ...storedToken(), ...stored })
  const conditions = healthyConditions()
  const server = createServer({
    config,
    logger,
    admission: createAdmission(config, logger),
    operators: await operatorPolicy(config, async () => localToken),
    reads,
    // The rows of these tests change without a commit.
    responses: { ask: (_request, make) => make() },
    feed: () => conditions.feed,
    processes: () => conditions.processes,
    indexer: { state: () => conditions.indexer, chain: () => conditions.chain },
    ethUsd: {
      get: async () => {
        if (conditions.price === null) throw new TokenwireError('price_unavailable', 'api.coingecko.com said 401 to key CG-secret')
        return conditions.price
      },
      ethUsd: () => conditions.price?.price ?? null,
      pooled: () => null,
      last: () => (conditions.price === null ? null : { ...conditions.price, disputed: null }),
    },
    actors: {
      health: () => ({ total: conditions.actors.length, byState: { live: conditions.actors.length }, subscribers: 42 }),
      list: ({ state, limit }) => conditions.actors.filter(actor => state === undefined || actor.state === state).slice(0, limit),
      get: token => conditions.actors.find(actor => actor.token === token) ?? null,
      sequence: token => conditions.actors.find(actor => actor.token === token)?.sequence ?? null,
    },
    integrations: integrationRoutes,
    realtime: { register: () => {}, openEventStream: () => null, health: () => REALTIME, close: async () => {}, ...realtime },
    metrics: {
      contentType: 'text/plain; version=0.0.4; charset=utf-8',
      render: async () => 'tokenwire_up 1\n',
      observeRequest: () => {},
      ...metrics,
    },
    probeDatabase: createDatabaseProbe({ ping: () => reads.ping(), now, logger, causeOf: () => null, redact: text => text }),
    now,
    chainId: 8453,
    version: '1.2.3',
    site: null,
    ...deps,
  })
  const { url, port } = await server.listen({ host: config.host, port: askedPort })
  return {
    url,
    port,
    reads,
    conditions,
    log,
    get: (path, headers = {}) => fetch(url + path, { headers }),
    renewCertificate: server.renewCertificate,
    list: async path => {
      const response = await fetch(url + path)
      if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`)
      return (await response.json()) as ListAnswer<never>
    },
    close: closedAfterFile(() => server.close()),
  }
}

export const REALTIME: RealtimeHealth = {
  webSocketConnections: 4,
  eventStreams: 2,
  subscriptions: 9,
  updatesPerSecond: 12.5,
  deliveredTotal: 100,
  conflatedTotal: 3,
  commitToDeliveryMs: { p50: 1.2, p99: 9.8 },
}

function storedToken(): Stored {
  return {
    tokens: [tokenOf(TOKEN, 1_795_000_000_123)],
    trades: [],
    holders: new Map(),
    candles: new Map(),
    claimables: [],
    wallets: [],
    traders: [],
    leaders: [],
    holdings: [],
    claims: [],
    launchpads: [],
    finality: { number: 456, timestamp: 1_795_000_060 },
    pairs: [],
    assets: [],
    pairEvents: [],
    dayTotals: [],
    chainStats: {
      chainId: 8453,
      indexedBlock: '456',
      tokens: 812,
      tokens24h: 40,
      bonding: 600,
      completed: 2,
      migrated: 60,
      trades24h: 9_001,
      traders24h: 411,
      volumeWeth24h: '12.5',
      volumeUsd24h: null,
      liquidityWeth: '99.1',
      asOfBlock: '456',
      updatedAt: '2026-01-02T03:04:08.123Z',
    },
  }
}

function healthyConditions(): Conditions {
  return {
    indexer: {
      ...UNKNOWN_INDEXER,
      headBlock: 470,
      confirmedBlock: 467,
      indexedBlock: 467,
      lagBlocks: 0,
      lagSeconds: 1.2,
      backfill: null,
      reorgs: { count: 0, lastDepth: null, lastAt: null },
      rpc: [rpcHealth()],
      stalled: false,
      reason: null,
    },
    chain: { headBlock: 470, blockTimeMs: 2_000, baseFeeGwei: '0.01' },
    price: { price: '3000', currency: 'USD', source: 'coingecko', fetchedAt: '2026-01-02T03:04:08.123Z', ageSeconds: 12, stale: false },
    feed: { carrier: 'thread', connected: true, disconnectedMs: 0, waitingMs: 0, behindBlocks: 0, reconnects: 0, replica: null },
    actors: [],
    processes: [],
  }
}

function lines(into: Record<string, unknown>[]): Writable {
  return new Writable({
    write(line: Buffer, _encoding, written) {
      into.push(JSON.parse(line.toString()) as Record<string, unknown>)
      written()
    },
  })
}
