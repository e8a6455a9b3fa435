import { pino } from 'pino'
import { SWEEP_INTERVAL_MS } from '#actors/registry.ts'
import { createAdmission } from '#gateway/admission.ts'
import { createRealtime } from '#gateway/realtime.ts'
import { startGateway } from '#test/gateway/startGateway.ts'
import { blockOf, createTestCandles, createTestChannels, createTestLists, createTestRegistry } from '#test/support/actors.ts'
import { certificateFiles } from './certificateFiles.ts'
import { ETH_USD, storedTokens } from './feed.ts'
import type { FeedServer } from './feedServer.ts'
import { LIMITS } from './limits.ts'
import { trackTurns } from './trackTurns.ts'

/** The largest number of streams in a scenario. */
const STORED = 1_000

/** The real gateway, actors and outboxes, fed through the indexer's interface, without a database. */
export async function startTokenwire(tls: boolean): Promise<FeedServer> {
  const logger = pino({ level: 'error' }, pino.destination(2))
  const now = () => performance.now()
  const registry = createTestRegistry({ ethUsd: () => ETH_USD, logger, now })
  const turns = trackTurns()
  const admission = createAdmission(LIMITS, logger)
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
    yieldTo: turns.yieldTo,
  })
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
    written: turns.written,
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
