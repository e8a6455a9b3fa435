import { pino } from 'pino'
import { SWEEP_INTERVAL_MS } from '#actors/registry.ts'
import { createAdmission } from '#gateway/admission.ts'
import { createRealtime } from '#gateway/realtime.ts'
import { CONFIG, startGateway } from '#test/gateway/startGateway.ts'
import { blockOf, createTestRegistry } from '#test/support/actors.ts'
import { certificateFiles } from './certificateFiles.ts'
import { ETH_USD, storedTokens } from './feed.ts'
import type { FeedServer } from './feedServer.ts'

/** The largest number of streams in a scenario. */
const STORED = 1_000

const LIMITS = {
  ...CONFIG,
  maxConnections: 1_000_000,
  maxConnectionsPerIp: 1_000_000,
  maxSubscriptionsPerConnection: 1_000,
  maxMessagesPerSecond: 100_000,
}

/** The real gateway, actors and outboxes, fed through the indexer's interface, without a database. */
export async function startTokenwire(tls: boolean): Promise<FeedServer> {
  const logger = pino({ level: 'error' }, pino.destination(2))
  const now = () => performance.now()
  const registry = createTestRegistry({ ethUsd: () => ETH_USD, logger, now })
  /** Resolves after the turn of the flush that is running. */
  let turn = Promise.resolve()
  const yieldTo = (flush: () => void) => {
    turn = new Promise(resolve => {
      setImmediate(() => {
        flush()
        resolve()
      })
    })
  }
  const admission = createAdmission(LIMITS, logger)
  const realtime = createRealtime({ config: LIMITS, admission, registry, logger, now, yieldTo })
  const gateway = await startGateway({
    config: { ...LIMITS, tls: tls ? await certificateFiles() : null },
    stored: { tokens: [...storedTokens(STORED)] },
    logger,
    admission,
    actors: registry,
    realtime,
  })
  const sweeping = setInterval(() => registry.sweep(), SWEEP_INTERVAL_MS)
  return {
    port: gateway.port,
    prepare: snapshots => {
      const block = blockOf(...snapshots)
      return () => registry.dispatch({ ...block, completedAtMs: now() })
    },
    written: async () => {
      for (let seen: unknown = null; seen !== turn; ) {
        seen = turn
        await turn
      }
    },
    counters: () => {
      const { deliveredTotal, conflatedTotal, webSocketConnections, eventStreams } = realtime.health()
      return { deliveredTotal, conflatedTotal, webSocketConnections, eventStreams, actors: registry.health().total }
    },
    close: async () => {
      clearInterval(sweeping)
      await gateway.close()
    },
  }
}
