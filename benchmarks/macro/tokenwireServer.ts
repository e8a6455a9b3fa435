import { pino } from 'pino'
import { Registry } from '#actors/registry.ts'
import { createAdmission } from '#gateway/admission.ts'
import { createRealtime } from '#gateway/realtime.ts'
import { CONFIG, startGateway } from '#test/gateway/startGateway.ts'
import { blockOf } from '#test/support/actors.ts'
import { ETH_USD } from './feed.ts'
import type { FeedServer } from './feedServer.ts'

const LIMITS = {
  ...CONFIG,
  maxConnections: 1_000,
  maxConnectionsPerIp: 1_000,
  maxSubscriptionsPerConnection: 200,
  maxMessagesPerSecond: 50,
}

/** The real gateway, actors and outboxes over tokens that are not indexed yet. Only the database is left out. */
export async function startTokenwireServer(): Promise<FeedServer> {
  const logger = pino({ level: 'error' }, pino.destination(2))
  const now = () => performance.now()
  const registry = new Registry({
    history: { load: async () => null },
    quotes: { ethUsd: () => ETH_USD },
    logger,
    now,
    date: () => new Date(),
  })
  const realtime = createRealtime({ config: LIMITS, admission: createAdmission(LIMITS, logger), registry, logger, now })
  const gateway = await startGateway({
    config: LIMITS,
    stored: { tokens: [] },
    logger,
    actors: registry,
    realtime,
    registerWebSocket: realtime.registerWebSocket,
    openEventStream: realtime.openEventStream,
    closeRealtime: realtime.close,
  })
  return {
    port: gateway.port,
    prepare: snapshots => {
      const block = blockOf(...snapshots)
      return () => registry.dispatch({ ...block, completedAtMs: now() })
    },
  }
}
