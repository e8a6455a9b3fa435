import { SWEEP_INTERVAL_MS } from '#actors/registry.ts'
import { startGateway } from '#test/gateway/startGateway.ts'
import { blockOf } from '#test/support/actors.ts'
import { certificateFiles } from './certificateFiles.ts'
import { storedTokens } from './feed.ts'
import type { FeedServer } from './feedServer.ts'
import { LIMITS } from './limits.ts'
import { createServedRealtime } from './servedRealtime.ts'

/** The largest number of streams in a scenario. */
const STORED = 1_000

/** The real gateway, actors and outboxes, fed through the indexer's interface, without a database. */
export async function startTokenwire(tls: boolean): Promise<FeedServer> {
  const now = () => performance.now()
  const { logger, registry, admission, realtime, written } = createServedRealtime(now)
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
    written,
    counters: () => {
      const { deliveredTotal, conflatedTotal, webSocketConnections, eventStreams } = realtime.report()
      return { deliveredTotal, conflatedTotal, webSocketConnections, eventStreams, actors: registry.health().total }
    },
    close: async () => {
      clearInterval(sweeping)
      await gateway.close()
    },
  }
}
