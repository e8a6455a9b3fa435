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
import { blockEvents, blockNumberOf, blockOfNumber, blockSnapshots, listPage, listSequence } from './mixedFeed.ts'

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
        events.add(block, blockEvents(block))
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

/** Blocks whose events are kept. Those of older ones are made again when they are read, so that memory does not grow with the blocks. */
const KEPT_BLOCKS = 32

/** A chain's trades without reorgs, read as the database would. */
class StoredEvents {
  #newest = 0
  readonly #kept = new Map<number, readonly ChannelEvent[]>()

  /** @param block the one after that which was added last; the first is 1 */
  add(block: number, events: readonly ChannelEvent[]): void {
    this.#newest = block
    this.#kept.set(block, events)
    this.#kept.delete(block - KEPT_BLOCKS)
  }

  readonly read = async ({ after, through, limit }: ChannelEventsQuery): Promise<ChannelEvents> => {
    const newest = this.#newest === 0 ? FIRST_PLACE : endOfBlock(blockNumberOf(this.#newest))
    const events = after === null ? [] : this.#between(after.place, through ?? newest, limit)
    return { reorgs: 0, voidFrom: null, newest, isTooFar: false, events }
  }

  #between(after: EventPlace, through: EventPlace, limit: number): readonly ChannelEvent[] {
    const events: ChannelEvent[] = []
    const last = Math.min(this.#newest, blockOfNumber(through.blockNumber))
    for (let block = Math.max(1, blockOfNumber(after.blockNumber)); block <= last && events.length < limit; block++) {
      const ofBlock = this.#kept.get(block) ?? blockEvents(block)
      events.push(...ofBlock.filter(({ place }) => comparePlaces(place, after) > 0 && comparePlaces(place, through) <= 0))
    }
    return events.slice(0, limit)
  }
}
