import { createWatchedCandles, type WatchedCandles } from '#actors/candles/watchedCandles.ts'
import { createEventChannels, type EventChannels } from '#actors/events/eventChannels.ts'
import { createLists, type Lists } from '#actors/lists/lists.ts'
import { createRegistry, type Registry, type RegistryOptions, SWEEP_INTERVAL_MS } from '#actors/registry.ts'
import { repeat } from '#async/repeat.ts'
import type { Reads } from '#resources/reads.ts'

export interface GatewayActorsOptions extends RegistryOptions {
  readonly reads: Pick<Reads, 'channelEvents' | 'tokens' | 'tokenCount' | 'candles'>
}

/** The actors of one gateway. */
export interface GatewayActors {
  readonly registry: Registry
  readonly channels: EventChannels
  readonly lists: Lists
  readonly candles: WatchedCandles
  stop(): Promise<void>
}

/** Creates the actors, and sweeps those that have had no subscribers for a while. */
export function createGatewayActors({ reads, ...options }: GatewayActorsOptions): GatewayActors {
  const registry = createRegistry(options)
  const channels = createEventChannels({ read: reads.channelEvents, ...options })
  const lists = createLists({ read: reads.tokens, count: reads.tokenCount, ...options })
  const candles = createWatchedCandles({ read: reads.candles, ...options })
  const all = [registry, channels, lists, candles]
  const stopSweeping = repeat(SWEEP_INTERVAL_MS, () => {
    for (const actors of all) actors.sweep()
  })
  return {
    registry,
    channels,
    lists,
    candles,
    stop: async () => {
      stopSweeping()
      for (const actors of all) await actors.stop()
    },
  }
}
