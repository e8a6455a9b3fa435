import { pino } from 'pino'
import { createEventChannels } from '#actors/events/eventChannels.ts'
import { createLists } from '#actors/lists/lists.ts'
import { LIMITS } from '#benchmarks/servers/limits.ts'
import type { ChannelEvent, ChannelEvents, ChannelEventsQuery } from '#domain/channelEvent.ts'
import { comparePlaces, type EventPlace, endOfBlock, FIRST_PLACE } from '#domain/eventPlace.ts'
import { createAdmission } from '#gateway/admission/admission.ts'
import { createRealtime } from '#gateway/realtime/realtime.ts'
import { startGateway } from '#test/gateway/startGateway.ts'
import { blockOf, createTestCandles, createTestRegistry } from '#test/support/actors.ts'
import type { ChannelServer } from './channelServer.ts'
import { blockEvents, blockNumberOf, blockSnapshots, listPage, listSequence } from './mixedFeed.ts'

const SWEEP_EVERY_MS = 5_000

/** The real gateway, channels, lists and actors over events in memory: what the database takes is not in it. */
export async function startTokenwireChannels(): Promise<ChannelServer> {
  const logger = pino({ level: 'error' }, pino.destination(2))
  const now = () => performance.now()
  const events = new StoredEvents()
  let newestBlock = 0
  const config = { ...LIMITS, trustProxy: 1 }
  const registry = createTestRegistry({ logger, now })
  const channels = createEventChannels({ read: events.read, ethUsd: () => null, logger, now })
  const lists = createLists({
    read: async query => listPage(query, newestBlock),
    ethUsd: () => null,
    logger,
    epochMs: () => listSequence(newestBlock),
  })
  const admission = createAdmission(config, logger)
  const realtime = createRealtime({
    config,
    admission,
    channels,
    lists,
    candles: createTestCandles(),
    registry,
    logger,
    now,
    epochMs: Date.now,
  })
  const gateway = await startGateway({ config, stored: { tokens: [] }, logger, admission, actors: registry, realtime })
  const sweeping = setInterval(() => channels.sweep(), SWEEP_EVERY_MS)
  return {
    port: gateway.port,
    prepare: block => {
      const committed = { ...blockOf(...blockSnapshots(block)), number: blockNumberOf(block) }
      const tokens = new Set(committed.tokens.map(({ token }) => token.address))
      return () => {
        newestBlock = block
        events.add(blockEvents(block))
        registry.dispatch({ ...committed, completedAtMs: now() })
        channels.changed()
        lists.changed(tokens)
      }
    },
    close: async () => {
      clearInterval(sweeping)
      await channels.stop()
      await lists.stop()
      await gateway.close()
    },
  }
}

/** A chain's trades without reorgs, read as the database would. */
class StoredEvents {
  readonly #events: ChannelEvent[] = []

  add(events: readonly ChannelEvent[]): void {
    this.#events.push(...events)
  }

  readonly read = async ({ after, through, limit }: ChannelEventsQuery): Promise<ChannelEvents> => {
    const newest = this.#events.at(-1)?.place
    const end = through === null ? this.#events.length : this.#firstAfter(through)
    const start = after === null ? end : this.#firstAfter(after.place)
    return {
      reorgs: 0,
      voidFrom: null,
      newest: newest === undefined ? FIRST_PLACE : endOfBlock(newest.blockNumber),
      isTooFar: false,
      events: this.#events.slice(start, Math.min(end, start + limit)),
    }
  }

  /** By halving. */
  #firstAfter(place: EventPlace): number {
    let low = 0
    let high = this.#events.length
    while (low < high) {
      const middle = (low + high) >> 1
      const event = this.#events[middle]
      if (event !== undefined && comparePlaces(event.place, place) > 0) high = middle
      else low = middle + 1
    }
    return low
  }
}
