import { z } from 'zod'
import { defineResource, listSchema, NO_PARAMETERS } from './resource.ts'
import { count, decimalText, integerText, percent, timeText, type Wire } from './values.ts'

/* The health of the service. */

const milliseconds = z.number().min(0)

const actors = z
  .object({
    total: count.describe('Number of actors: one for each watched address.'),
    byState: z.record(z.string(), count).describe('Number of actors by state.'),
    subscribers: count.describe('Number of subscribers of all tokens.'),
  })
  .describe('The actors of the process.')

const realtime = z
  .object({
    webSocketConnections: count.describe('Open WebSockets.'),
    eventStreams: count.describe('Open SSE streams.'),
    subscriptions: count.describe('Subscriptions of all connections.'),
    updatesPerSecond: z.number().min(0).describe('Updates delivered per second, over the last 10 s.'),
    deliveredTotal: count.describe('Updates delivered since the process started.'),
    conflatedTotal: count.describe('Updates that a newer one replaced before a slow reader took them.'),
    commitToDeliveryMs: z
      .object({
        p50: milliseconds.nullable().describe('Median in ms. `null`: nothing was delivered yet.'),
        p99: milliseconds.nullable().describe('99th percentile in ms. `null`: nothing was delivered yet.'),
      })
      .describe('Time from a commit to the write of its update to a socket.'),
  })
  .describe('Connections and deliveries of this process.')

const backfill = z
  .object({
    fromBlock: integerText.describe('Number of the first block that is indexed.'),
    toBlock: integerText.describe('Number of the last block of the backfill. Rises with the chain.'),
    currentBlock: integerText.describe('Number of the newest block that is indexed.'),
    percent: percent.describe('Indexed share of these blocks, 0 to 100.'),
    blocksPerSecond: z.number().min(0).describe('Blocks indexed per second, over the last half minute.'),
    eventsPerSecond: z.number().min(0).describe('Event logs indexed per second, over the last half minute.'),
    secondsLeft: z.number().min(0).nullable().describe('Estimated seconds until `toBlock` is indexed. `null`: unknown.'),
  })
  .describe('Indexing of old blocks. `null`: none is under way.')

const provider = z.object({
  name: z.string().describe('`rpc-1`, `rpc-2` … in the order of `RPC_URLS`.'),
  healthy: z
    .boolean()
    .describe('Whether the provider answers, is on the right chain, is not behind the others and does not refuse calls for long.'),
  cause: z.string().nullable().describe('Why the provider is not healthy. `null`: it is healthy.'),
  latencyMs: milliseconds.nullable().describe('Recent latency of calls in ms. `null`: no call was answered yet.'),
  errorRate: z.number().min(0).max(1).describe('Share of recent calls that failed, 0 to 1.'),
  concurrency: count.nullable().describe('Limit on requests in flight, lowered when the provider refuses some. `null`: not limited.'),
  batchSize: count.describe('Most calls that are batched into one request.'),
  rangeBlocks: count.describe('Most blocks that one log query covers.'),
  silentSeconds: count.nullable().describe('Seconds for which the provider still asks not to be called. `null`: it may be called.'),
})

const launchpadProgress = z.object({
  name: z.string().describe('Name of the launchpad in `launchpads.json`.'),
  state: z
    .enum(['joined', 'backfilling', 'leaving'])
    .describe(
      '`joined`: it is served; `backfilling`: it is indexed in a side index, and what is served of it is as it was; `leaving`: its tokens ' +
        'are about to go.',
    ),
  indexedBlock: integerText.nullable().describe('Number of the newest block that is indexed of it. `null`: none, or unknown.'),
  blocksLeft: count.nullable().describe('Number of blocks that are not indexed of it yet. `null`: unknown.'),
  eventsPerSecond: z.number().min(0).nullable().describe('Event logs indexed per second. `null`: nothing old is being indexed.'),
  secondsLeft: z.number().min(0).nullable().describe('Estimated seconds until it joins. `null`: unknown.'),
})

const indexerHealthSchema = z.object({
  status: z
    .enum(['ok', 'syncing', 'stalled', 'degraded'])
    .describe(
      '`syncing`: the index is catching up; `stalled`: nothing is indexed though the chain moves, or the database does ' +
        'not answer; `degraded`: answers are current, but something is broken.',
    ),
  role: z.enum(['all', 'indexer', 'gateway']).describe('What this process does: `indexer` writes, `gateway` serves, `all` both.'),
  standby: z.boolean().describe('Whether this process waits to take over when the indexing process is gone (`STANDBY=true`).'),
  version: z.string().describe('Version of the service.'),
  uptimeSeconds: z.number().min(0).describe('Seconds since the process started.'),
  chainId: count.describe('EIP-155 id of the chain.'),
  headBlock: integerText.nullable().describe('Number of the newest block that the providers report. `null`: unknown.'),
  confirmedBlock: integerText.nullable().describe('Number of the newest confirmed block. `null`: unknown.'),
  indexedBlock: integerText.nullable().describe('Number of the newest indexed block. `null`: none.'),
  lagBlocks: z.number().nullable().describe('Number of confirmed blocks that are not indexed yet. `null`: unknown.'),
  lagSeconds: z
    .number()
    .nullable()
    .describe('Block time of the newest confirmed block minus that of the newest indexed one, in seconds. `null`: unknown.'),
  backfill: backfill.nullable(),
  launchpads: z.array(launchpadProgress).describe('How far each launchpad is indexed, in the order of `launchpads.json`.'),
  reorgs: z
    .object({
      count: count.describe('Number of reorgs of indexed blocks since the start.'),
      lastDepth: count.nullable().describe('Number of blocks that the last reorg voided. `null`: no reorg yet.'),
      lastAt: timeText.nullable().describe('When the last reorg was handled. `null`: no reorg yet.'),
    })
    .describe('Reorgs of indexed blocks.'),
  rpc: z.array(provider).describe('The RPC providers, in the order of `RPC_URLS`.'),
  database: z
    .object({
      ok: z.boolean().describe('Whether the database answers.'),
      latencyMs: milliseconds.nullable().describe('Round trip in ms. `null`: the database does not answer.'),
    })
    .describe('PostgreSQL.'),
  actors,
  realtime,
  feed: z
    .object({
      carrier: z
        .enum(['thread', 'notify', 'nats'])
        .describe(
          'How committed blocks come to this process. `thread`: from its own indexing thread; `notify`: by PostgreSQL’s ' +
            '`NOTIFY`; `nats`: over NATS.',
        ),
      connected: z.boolean().describe('Whether commits arrive.'),
      disconnectedMs: milliseconds.describe('Milliseconds for which no commits have arrived, give or take 2 s; 0: they arrive.'),
      waitingMs: milliseconds.describe(
        'Milliseconds for which the oldest arrived commit has waited to be passed on to subscribers; 0: none waits.',
      ),
      behindBlocks: count
        .nullable()
        .describe(
          'Number of indexed blocks that this process has not passed on yet. `null`: unknown, since the indexer has not ' +
            'reported or no block was passed on.',
        ),
      reconnects: count.describe('How often the connection that carries committed blocks was restored since the start.'),
      replica: z
        .object({
          inUse: z
            .boolean()
            .describe('Whether reads go to the replica. `false`: it is too far behind, or away, and reads go to the primary.'),
          behindMs: milliseconds.describe('Milliseconds for which the replica has lacked the newest commit; 0: it has that commit.'),
        })
        .nullable()
        .describe('The replica that this process reads (`DATABASE_READ_URL`). `null`: it reads the primary.'),
    })
    .describe('How committed blocks reach this process.'),
  reasons: z.array(z.string()).describe('What is wrong, for people; empty when `status` is `ok`.'),
  warnings: z
    .array(z.string())
    .describe('What can not be verified of the chain, for people. Nothing is broken: `status` and readiness do not depend on it.'),
})

const healthAnswerSchema = indexerHealthSchema
  .extend({
    details: z
      .array(z.string())
      .exactOptional()
      .describe('For operators only: the errors of providers and the database, with their full text.'),
  })
  .meta({ id: 'IndexerHealth', description: 'Health of the indexer, its providers, the database and this process.' })

export type IndexerHealth = Wire<typeof indexerHealthSchema>
export type ServiceStatus = IndexerHealth['status']
export type RpcHealth = IndexerHealth['rpc'][number]
export type BackfillProgress = NonNullable<IndexerHealth['backfill']>
export type LaunchpadProgress = IndexerHealth['launchpads'][number]
export type ReorgStats = IndexerHealth['reorgs']
export type ActorsHealth = IndexerHealth['actors']
export type RealtimeHealth = IndexerHealth['realtime']
export type FeedHealth = IndexerHealth['feed']
export type ReplicaHealth = NonNullable<FeedHealth['replica']>

export const serviceHealth = defineResource({
  id: 'getHealth',
  tag: 'Health',
  path: '/api/indexer/health',
  summary: 'Health of the indexer; 503 when it is `stalled`. Operators get `details`',
  parameters: NO_PARAMETERS,
  answer: healthAnswerSchema,
  alsoStatus: 503,
  access: 'both',
  cacheControl: 'never',
  problems: [],
})

const statusSchema = <const Word extends string>(word: Word) => z.object({ status: z.literal(word).describe('Always this word.') })

export const alive = defineResource({
  id: 'getAlive',
  tag: 'Health',
  path: '/healthz',
  summary: 'Whether the process lives',
  parameters: NO_PARAMETERS,
  answer: statusSchema('ok').meta({ id: 'Alive', description: 'The process lives.' }),
  limited: false,
  cacheControl: 'never',
  problems: [],
})

export const ready = defineResource({
  id: 'getReady',
  tag: 'Health',
  path: '/readyz',
  summary: 'Whether this instance serves current data',
  parameters: NO_PARAMETERS,
  answer: statusSchema('ready').meta({ id: 'Ready', description: 'The instance serves current data.' }),
  limited: false,
  cacheControl: 'never',
})

/** Why the database fails. */
export interface DatabaseCause {
  /** The kind of cause. Public. */
  readonly shown: string
  /** For operators: the kind, what to do, and the server's own words, which are to be redacted. */
  readonly full: string
}

const blockNumber = count.nullable()

/** The state of indexing, from the indexing thread to the health, metrics and gateways. */
const indexerStateSchema = indexerHealthSchema
  .pick({ lagBlocks: true, lagSeconds: true, backfill: true, reorgs: true, rpc: true, launchpads: true, warnings: true })
  .extend({
    headBlock: blockNumber,
    confirmedBlock: blockNumber,
    indexedBlock: blockNumber,
    headUnchangedSeconds: z.number().nullable().describe('`null`: no provider shows a newest block.'),
    stalled: z.boolean().describe('Whether nothing is indexed though the chain moves, or indexing has stopped for good.'),
    reason: z.string().nullable().describe('Why it is stalled or degraded, in words of this service, since it is public.'),
    launchpads: z.array(launchpadProgress).describe('The launchpads that are built or removed now.'),
    problems: z.array(z.string()).describe('What is wrong besides, though indexing goes on, in words of this service.'),
    details: z.array(z.string()).describe('For operators: with the messages of providers and the database, without secrets.'),
  })

export type IndexerState = Wire<typeof indexerStateSchema>

export const UNKNOWN_INDEXER: IndexerState = {
  headBlock: null,
  confirmedBlock: null,
  indexedBlock: null,
  lagBlocks: null,
  lagSeconds: null,
  headUnchangedSeconds: null,
  backfill: null,
  launchpads: [],
  reorgs: { count: 0, lastDepth: null, lastAt: null },
  rpc: [],
  stalled: false,
  reason: null,
  problems: [],
  warnings: [],
  details: [],
}

/** The last state of an indexer that has been silent for so long that the state may no longer be true. */
export function stateAfterSilence(last: IndexerState, who: string, silentMs: number): IndexerState {
  const reason = `${who} has not answered for ${Math.floor(silentMs / 1_000)} s`
  return { ...last, lagBlocks: null, lagSeconds: null, headUnchangedSeconds: null, stalled: true, reason }
}

/** What a process reports about itself to the other processes on its database. */
export const processReportSchema = indexerHealthSchema
  .pick({
    status: true,
    role: true,
    standby: true,
    version: true,
    uptimeSeconds: true,
    indexedBlock: true,
    lagBlocks: true,
    database: true,
    feed: true,
  })
  .extend({
    id: z.string().describe('Id of the process; each start has a new one.'),
    host: z.string().describe('Name of the machine that the process runs on.'),
    pid: count.describe('Process id on that machine.'),
    url: z.string().describe('URL at which the process listens.'),
    connections: count.describe('Open WebSockets and event streams.'),
    subscriptions: count.describe('Subscriptions of all connections.'),
  })

const processStateSchema = processReportSchema
  .extend({
    heardMsAgo: milliseconds.describe('Milliseconds between the last report of the process and this answer. It reports every 5 s.'),
  })
  .meta({ id: 'ProcessState', description: 'What a process reports about itself.' })

/** The head, milliseconds per recent block, and the head's base fee; each `null` while unknown. */
const chainViewSchema = z.object({ headBlock: blockNumber, blockTimeMs: milliseconds.nullable(), baseFeeGwei: decimalText.nullable() })

export type ChainView = Wire<typeof chainViewSchema>

/** What an indexer reports to gateways about itself and the chain: they have no providers of their own. */
export const indexerReportSchema = z.object({
  writer: z.uuid().describe('The name under which it has claimed the database: a new one at each start.'),
  // An indexer of an earlier version does not tell what is wrong besides.
  state: indexerStateSchema.extend({ problems: indexerStateSchema.shape.problems.default([]) }),
  chain: chainViewSchema,
  natsConnected: z.boolean().exactOptional().describe('Whether its connection to NATS is up. Absent: it has none.'),
})

export type IndexerReport = Wire<typeof indexerReportSchema>

/** What is known of indexing and of the chain. Never waits. */
export interface IndexingView {
  state(): IndexerState
  chain(): ChainView
}
export type ProcessReport = Wire<typeof processReportSchema>
export type ProcessState = Wire<typeof processStateSchema>

export const processes = defineResource({
  id: 'listProcesses',
  tag: 'Health',
  path: '/api/indexer/health/processes',
  summary: 'The processes that use the same database: indexers, standbys and gateways',
  parameters: NO_PARAMETERS,
  answer: listSchema(processStateSchema)
    .omit({ asOfBlock: true })
    .meta({ id: 'ProcessList', description: 'The processes that reported in the last 15 s, indexers first, in one page.' }),
  access: 'operator',
  cacheControl: 'never',
  problems: [],
})

const keyUsageSchema = z
  .object({
    name: z.string().describe('Name of the key.'),
    requests: count.describe('Requests that were admitted, event streams included.'),
    refusedRequests: count.describe('Requests that were refused with 429.'),
    maxRequestsPerMinute: count.nullable().describe('Requests per minute that the key may make. `null`: no limit.'),
    connections: count.describe('WebSockets and event streams that are open now.'),
    maxConnections: count.describe('WebSockets and event streams that may be open at once.'),
    openedConnections: count.describe('WebSockets and event streams that were opened.'),
    refusedConnections: count.describe('WebSockets and event streams that were refused because too many were open.'),
  })
  .meta({ id: 'KeyUsage', description: 'What an API key has used of the process that answers, since the start of the process.' })

export type KeyUsage = Wire<typeof keyUsageSchema>

export const usage = defineResource({
  id: 'getUsage',
  tag: 'Health',
  path: '/api/usage',
  summary: 'What API keys have used: the key of the request, or all of them for operators',
  parameters: NO_PARAMETERS,
  answer: listSchema(keyUsageSchema)
    .omit({ asOfBlock: true })
    .meta({ id: 'KeyUsageList', description: 'The usage of keys in the process that answers, in one page.' }),
  access: 'both',
  cacheControl: 'never',
  problems: ['unauthorized'],
})
