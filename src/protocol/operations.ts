import { z } from 'zod'
import { address, count, integer, percent, sequence, time } from './values.ts'

/* What operators see: the health of the indexer and the state of single actors. */

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
  fromBlock: integer,
  toBlock: integer,
  currentBlock: integer,
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
  headBlock: integer.nullable(),
  confirmedBlock: integer.nullable(),
  indexedBlock: integer.nullable(),
  lagBlocks: z.number().nullable(),
  lagSeconds: z.number().nullable(),
  backfill: backfill.nullable(),
  reorgs: z.object({ count, lastDepth: count.nullable(), lastAt: time.nullable() }),
  rpc: z.array(
    z.object({ name: z.string(), healthy: z.boolean(), latencyMs: milliseconds.nullable(), errorRate: z.number().min(0).max(1) }),
  ),
  database: z.object({ ok: z.boolean(), latencyMs: milliseconds.nullable() }),
  actors,
  realtime,
  reasons: z.array(z.string()),
})

export const actorStateSchema = z.object({
  token: address,
  state: z.enum(['activating', 'live', 'resyncing', 'passivated']),
  sequence: sequence.nullable(),
  subscribers: z.object({ webSocket: count, eventStream: count, lagging: count }),
  lastUpdateAt: time.nullable(),
  lastBlock: integer.nullable(),
  frameBytes: count.nullable(),
  activatedAt: time,
  eventsHandled: count,
  conflated: count,
})
