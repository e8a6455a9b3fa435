import { pino } from 'pino'
import { SWEEP_INTERVAL_MS } from '#actors/registry.ts'
import { createAdmission } from '#gateway/admission/admission.ts'
import { createRealtime } from '#gateway/realtime/realtime.ts'
import { CONFIG, startGateway } from '#test/gateway/startGateway.ts'
import { blockOf, createTestCandles, createTestChannels, createTestLists, createTestRegistry } from '#test/support/actors.ts'
import { ETH_USD } from './feed.ts'
import type { FeedServer } from './feedServer.ts'

/** Refuses no connection of a benchmark. */
const LIMITS = {
  ...CONFIG,
  maxConnections: 1_000_000,
  maxConnectionsPerIp: 1_000_000,
  maxSubscriptionsPerConnection: 1_000,
  maxMessagesPerSecond: 100_000,
}

/** The real gateway, actors and outboxes, fed through the indexer's interface, without a database. */
export async function startTokenwire(): Promise<FeedServer> {
  const now = () => performance.now()
  const logger = pino({ level: 'error' }, pino.destination(2))
  const registry = createTestRegistry({ ethUsd: () => ETH_USD, logger, now })
  const admission = createAdmission(LIMITS, logger)
  const { yieldTo, written } = trackTurns()
  const realtime = createRealtime({
    config: LIMITS,
    admission,
    channels: createTestChannels(),
    lists: createTestLists(),
    candles: createTestCandles(),
    registry,
    logger,
    now,
    epochMs: () => Date.now(),
    yieldTo,
  })
  const gateway = await startGateway({ config: LIMITS, logger, admission, actors: registry, realtime })
  const sweeping = setInterval(() => registry.sweep(), SWEEP_INTERVAL_MS)
  return {
    port: gateway.port,
    prepare: snapshots => {
      const block = blockOf(...snapshots)
      return () => registry.dispatch({ ...block, completedAtMs: now() })
    },
    written,
    counters: () => {
      const { conflatedTotal, webSocketConnections } = realtime.report()
      return { conflatedTotal, webSocketConnections }
    },
    close: async () => {
      clearInterval(sweeping)
      await gateway.close()
    },
  }
}

/** How a flush yields, and when everything that it had to write is written as far as the sockets accept it. */
function trackTurns() {
  /** Resolves after the turn of the flush that is running. */
  let turn = Promise.resolve()
  return {
    yieldTo: (flush: () => void): void => {
      turn = new Promise(resolve => {
        setImmediate(() => {
          flush()
          resolve()
        })
      })
    },
    written: async (): Promise<void> => {
      for (let seen: unknown = null; seen !== turn; ) {
        seen = turn
        await turn
      }
    },
  }
}
