import { z } from 'zod'
import { addressText, count, integerText, percent, sequence, timeText } from './values.ts'

/* For operators: the health of the indexer and the state of actors. */

const milliseconds = z.number().min(0)

const actors = z.object({ total: count, byState: z.record(z.string(), count), subscribers: count })

const realtime = z.object({
  webSocketConnections: count,
  eventStreams: count,
  subscriptions: count,
  updatesPerSecond: z.number().min(0),
  deliveredTotal: count,
  conflatedTotal: count,
  commitToDeliveryMs: z.object({ p50: milliseconds.nullable(), p99: milliseconds.nullable() }),
})

const backfill = z.object({
  fromBlock: integerText,
  toBlock: integerText,
  currentBlock: integerText,
  percent,
  blocksPerSecond: z.number().min(0),
  eventsPerSecond: z.number().min(0),
  secondsLeft: z.number().min(0).nullable(),
})

export const indexerHealthSchema = z.object({
  status: z.enum(['ok', 'syncing', 'stalled', 'degraded']),
  version: z.string(),
  uptimeSeconds: z.number().min(0),
  chainId: count,
  headBlock: integerText.nullable(),
  confirmedBlock: integerText.nullable(),
  indexedBlock: integerText.nullable(),
  lagBlocks: z.number().nullable(),
  lagSeconds: z.number().nullable(),
  backfill: backfill.nullable(),
  reorgs: z.object({ count, lastDepth: count.nullable(), lastAt: timeText.nullable() }),
  rpc: z.array(
    z.object({
      name: z.string(),
      healthy: z.boolean(),
      latencyMs: milliseconds.nullable(),
      errorRate: z.number().min(0).max(1),
      concurrency: count.nullable(),
      batchSize: count,
      rangeBlocks: count,
      silentSeconds: count.nullable(),
    }),
  ),
  database: z.object({ ok: z.boolean(), latencyMs: milliseconds.nullable() }),
  actors,
  realtime,
  reasons: z.array(z.string()),
})

export const actorStateSchema = z.object({
  token: addressText,
  state: z.enum(['activating', 'live', 'resyncing', 'passivated']),
  sequence: sequence.nullable(),
  subscribers: z.object({ webSocket: count, eventStream: count, lagging: count }),
  lastUpdateAt: timeText.nullable(),
  lastBlock: integerText.nullable(),
  frameBytes: count.nullable(),
  activatedAt: timeText,
  eventsHandled: count,
  conflated: count,
})
