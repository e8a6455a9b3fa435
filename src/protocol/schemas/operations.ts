import { z } from 'zod'
import { listSchema } from './resources.ts'
import { addressText, count, decimalText, integerText, percent, SEQUENCE_MEANING, sequence, timeText } from './values.ts'

/* The health of the service and the state of actors. */

const milliseconds = z.number().min(0)

const actors = z
  .object({
    total: count.describe('Actors. A token has one in each gateway thread (`GATEWAY_THREADS`) in which it has a subscriber.'),
    byState: z.record(z.string(), count).describe('Actors by state.'),
    subscribers: count.describe('Subscribers of all tokens.'),
  })
  .describe('The actors of all gateway threads of the process.')

const realtime = z
  .object({
    webSocketConnections: count.describe('Open WebSockets.'),
    eventStreams: count.describe('Open SSE streams.'),
    subscriptions: count.describe('Subscriptions of all connections.'),
    updatesPerSecond: z.number().min(0).describe('Updates delivered per second, recently.'),
    deliveredTotal: count.describe('Updates delivered since the start.'),
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
    fromBlock: integerText.describe('Number of the first block.'),
    toBlock: integerText.describe('Number of the last block.'),
    currentBlock: integerText.describe('Number of the newest block that is indexed.'),
    percent: percent.describe('Share that is indexed, 0 to 100.'),
    blocksPerSecond: z.number().min(0).describe('Blocks per second, recently.'),
    eventsPerSecond: z.number().min(0).describe('Events per second, recently.'),
    secondsLeft: z.number().min(0).nullable().describe('Seconds to the end at this rate. `null`: unknown.'),
  })
  .describe('Indexing of old blocks. `null`: none is under way.')

const provider = z.object({
  name: z.string().describe('`rpc-1`, `rpc-2` … in the order of `RPC_URLS`.'),
  healthy: z.boolean().describe('Whether it answers.'),
  cause: z.string().nullable().describe('Why it is not healthy. `null`: it is.'),
  latencyMs: milliseconds.nullable().describe('Milliseconds of recent calls. `null`: none yet.'),
  errorRate: z.number().min(0).max(1).describe('Failed share of recent calls, 0 to 1.'),
  concurrency: count.nullable().describe('Requests in flight that it allows. `null`: it has refused none.'),
  batchSize: count.describe('Calls per request.'),
  rangeBlocks: count.describe('Blocks per log query.'),
  silentSeconds: count.nullable().describe('Seconds for which it asks not to be called. `null`: it may be.'),
})

export const indexerHealthSchema = z.object({
  status: z
    .enum(['ok', 'syncing', 'stalled', 'degraded'])
    .describe('`stalled`: nothing is indexed though the chain moves, or the database is away; `degraded`: works with something broken.'),
  role: z.enum(['all', 'indexer', 'gateway']).describe('What this process does: `indexer` writes, `gateway` serves, `all` both.'),
  standby: z.boolean().describe('Whether it waits until the process that indexes is gone, to take over (`STANDBY=true`).'),
  version: z.string().describe('Version of the service.'),
  uptimeSeconds: z.number().min(0).describe('Seconds since the start.'),
  chainId: count.describe('EIP-155 id of the chain.'),
  headBlock: integerText.nullable().describe('Number of the newest block of the providers. `null`: unknown.'),
  confirmedBlock: integerText.nullable().describe('Number of the newest confirmed block. `null`: unknown.'),
  indexedBlock: integerText.nullable().describe('Number of the newest indexed block. `null`: none.'),
  lagBlocks: z.number().nullable().describe('Confirmed blocks that are not indexed. `null`: unknown.'),
  lagSeconds: z.number().nullable().describe('Seconds that the index is behind. `null`: unknown.'),
  backfill: backfill.nullable(),
  reorgs: z
    .object({
      count: count.describe('Reorgs of indexed blocks since the start.'),
      lastDepth: count.nullable().describe('Blocks that the last one replaced. `null`: none yet.'),
      lastAt: timeText.nullable().describe('When the last one was replaced. `null`: none yet.'),
    })
    .describe('Reorgs of indexed blocks.'),
  rpc: z.array(provider).describe('The RPC providers, by rank.'),
  database: z
    .object({
      ok: z.boolean().describe('Whether it answers.'),
      latencyMs: milliseconds.nullable().describe('Round trip in ms. `null`: it does not answer.'),
    })
    .describe('PostgreSQL.'),
  actors,
  realtime,
  feed: z
    .object({
      carrier: z.enum(['thread', 'notify', 'nats']).describe('What carries committed blocks to this process.'),
      connected: z.boolean().describe('Whether they arrive.'),
      disconnectedMs: milliseconds.describe('For how long they have not arrived, give or take 2 s; 0: they arrive.'),
      waitingMs: milliseconds.describe('For how long the oldest arrived commit waits for its states to be read; 0: none waits.'),
      behindBlocks: count
        .nullable()
        .describe('Indexed blocks that this process has not passed on yet. `null`: the indexer has not reported.'),
      reconnects: count.describe('How often what carries the blocks was connected again since the start.'),
      replica: z
        .object({
          inUse: z.boolean().describe('Whether reads go to it. Otherwise it is too far behind, or away, and they go to the primary.'),
          behindMs: milliseconds.describe('For how long it has not shown the newest commit; 0: it shows it.'),
        })
        .nullable()
        .describe('The replica that this process reads (`DATABASE_READ_URL`). `null`: it reads the primary.'),
    })
    .describe('How committed blocks reach this process.'),
  reasons: z.array(z.string()).describe('What is wrong, for people; empty when `status` is `ok`.'),
})

export const healthAnswerSchema = indexerHealthSchema
  .extend({ details: z.array(z.string()).exactOptional().describe('For operators: the same, with what providers and the database said.') })
  .meta({ id: 'IndexerHealth', description: 'Health of the indexer, its providers, the database and this process.' })

export const actorStateSchema = z
  .object({
    token: addressText.describe('Address of the token.'),
    state: z.enum(['activating', 'live', 'resyncing', 'passivated']).describe('State of the actor.'),
    sequence: sequence.nullable().describe(`${SEQUENCE_MEANING} \`null\`: the token is not indexed, or not read yet.`),
    subscribers: z
      .object({
        webSocket: count.describe('Over WebSocket.'),
        eventStream: count.describe('Over SSE.'),
        lagging: count.describe('That have an unsent update.'),
      })
      .describe('Number of subscribers.'),
    lastUpdateAt: timeText.nullable().describe('Time of the last update. `null`: none yet.'),
    lastBlock: integerText.nullable().describe('Number of its block. `null`: none yet.'),
    frameBytes: count.nullable().describe('Bytes of the encoded update without its trades. `null`: none yet.'),
    activatedAt: timeText.describe('When the actor was started.'),
    eventsHandled: count.describe('Events since then.'),
    conflated: count.describe('Updates since then that a newer one replaced before they were written.'),
  })
  .meta({ id: 'ActorState', description: 'State of one token’s actor in this process.' })

export const actorListSchema = listSchema(actorStateSchema)
  .omit({ asOfBlock: true })
  .meta({ id: 'ActorList', description: 'Actors, in one page.' })

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
    id: z.string().describe('Of this start of the process.'),
    host: z.string().describe('Name of its machine.'),
    pid: count.describe('Its process id there.'),
    url: z.string().describe('Where it listens.'),
    threads: count.describe('Threads that serve (`GATEWAY_THREADS`).'),
    connections: count.describe('Open WebSockets and event streams.'),
    subscriptions: count.describe('Subscriptions of all connections.'),
  })

export const processStateSchema = processReportSchema
  .extend({ heardMsAgo: milliseconds.describe('When it was heard of last, in ms before this answer; every 5 s while it runs.') })
  .meta({ id: 'ProcessState', description: 'What a process says of itself.' })

const blockNumber = count.nullable()

/** What an indexer reports to gateways about itself and the chain. */
export const indexerReportSchema = z.object({
  writer: z.uuid(),
  state: indexerHealthSchema.pick({ lagBlocks: true, lagSeconds: true, backfill: true, reorgs: true, rpc: true }).extend({
    headBlock: blockNumber,
    confirmedBlock: blockNumber,
    indexedBlock: blockNumber,
    headUnchangedSeconds: z.number().nullable().exactOptional(),
    stalled: z.boolean(),
    reason: z.string().nullable(),
    details: z.array(z.string()).exactOptional(),
  }),
  chain: z.object({ headBlock: blockNumber, blockTimeMs: milliseconds.nullable(), baseFeeGwei: decimalText.nullable() }),
})

export const processListSchema = listSchema(processStateSchema)
  .omit({ asOfBlock: true })
  .meta({ id: 'ProcessList', description: 'The processes that were heard of in the last 15 s, indexers first, in one page.' })

const statusSchema = <const Word extends string>(word: Word) => z.object({ status: z.literal(word).describe('Always this word.') })

export const healthzSchema = statusSchema('ok').meta({ id: 'Alive', description: 'The process lives.' })
export const readyzSchema = statusSchema('ready').meta({ id: 'Ready', description: 'The instance serves current data.' })
