import type { WatchedCandles } from '#actors/candles/watchedCandles.ts'
import type { EventChannels } from '#actors/events/eventChannels.ts'
import type { Lists } from '#actors/lists/lists.ts'
import type { Registry } from '#actors/registry.ts'
import type { BlockConsumer } from '#bus/blockFeed.ts'
import type { ResponseCache } from '#gateway/http/responseCache.ts'

export interface BlockConsumerOptions {
  readonly registry: Pick<Registry, 'dispatch' | 'sequence'>
  readonly responses: Pick<ResponseCache, 'changed'>
  readonly channels: Pick<EventChannels, 'changed'>
  readonly lists: Pick<Lists, 'changed'>
  readonly candles: Pick<WatchedCandles, 'changed'>
  /** Runs a function after what is under way and its microtasks: `setImmediate`. */
  readonly yieldTo: (work: () => void) => void
}

/**
 * A gateway handles a commit in this order: it forgets cached responses, sends the updates, and then reads watched channels, lists and
 * candles again. The feed dispatches, or asks the database for the states, right after `changed`, and microtasks of that turn write the
 * updates.
 */
export function createBlockConsumer({ registry, responses, channels, lists, candles, yieldTo }: BlockConsumerOptions): BlockConsumer {
  return {
    changed: tokens => {
      const changed = tokens === null ? null : new Set(tokens)
      responses.changed(changed)
      yieldTo(() => {
        channels.changed()
        lists.changed(changed)
        candles.changed(changed)
      })
    },
    dispatch: registry.dispatch,
    sequence: registry.sequence,
  }
}
