import { pino } from 'pino'
import { expect, it } from 'vitest'
import { EventChannel } from '#actors/events/eventChannel.ts'
import { EventFilter, type EventFilters } from '#actors/events/eventFilter.ts'
import type { EventMessage, EventSubscriber } from '#actors/events/eventMessages.ts'
import type { ChannelEvent } from '#resources/channelEvent.ts'
import { MemoryEvents } from '#test/support/memoryEvents.ts'
import { addressOf } from '#test/support/snapshots.ts'

const SUBSCRIBERS = 1_000
const WALLETS = 100
/** Of the event that is told. */
const TOKEN = 1
const MAKER = 1_000_000

interface Costs {
  /** Comparisons of the event with a filter. */
  readonly filters: number
  /** How often the JSON of the event was made. */
  readonly events: number
  /** Messages that were made. */
  readonly messages: number
  /** Subscribers that were told the event. */
  readonly told: number
}

function subscriberOf(told: EventMessage[]): EventSubscriber {
  return {
    isDrained: true,
    subscribed: () => {},
    deliver(message) {
      told.push(message)
      return true
    },
    reorg: () => expect.unreachable('no block was replaced'),
    gap: () => expect.unreachable('nothing is left out'),
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) {
    await new Promise<void>(resolve => {
      setImmediate(resolve)
    })
  }
}

/** As many wallets for each subscriber, and no wallet for two of them. */
const distinctWallets = Array.from({ length: SUBSCRIBERS }, (_, subscriber) =>
  Array.from({ length: WALLETS }, (_wallet, index) => addressOf(1 + subscriber * WALLETS + index)),
)

it('an event whose wallet no filter names is compared with none of a thousand filters', async () => {
  const costs = await costsOf(distinctWallets.map(wallets => ({ wallets })))
  expect(costs).toEqual({ filters: 0, events: 0, messages: 0, told: 0 })
})

it('an event is compared with the filters that name its wallet and no others', async () => {
  const filters = distinctWallets.map((wallets, index) => ({ wallets: index < 3 ? [...wallets.slice(1), addressOf(MAKER)] : wallets }))
  expect(await costsOf(filters)).toEqual({ filters: 3, events: 1, messages: 3, told: 3 })
})

it('a filter that names tokens and wallets is found by its token', async () => {
  const filters = distinctWallets.map((wallets, index) => ({
    wallets: [...wallets.slice(1), addressOf(MAKER)],
    tokens: [addressOf(1 + index)],
  }))
  expect(await costsOf(filters)).toEqual({ filters: 1, events: 1, messages: 1, told: 1 })
})

it('an event is encoded once, and its message once for all subscribers with the same filter', async () => {
  const [wallets = []] = distinctWallets
  const same = Array.from({ length: SUBSCRIBERS }, (_, index) => {
    const named = [...wallets.slice(1), addressOf(MAKER)]
    // The order in which a client names wallets does not make another filter.
    return { wallets: index % 2 === 0 ? named : named.toReversed() }
  })
  expect(await costsOf(same)).toEqual({ filters: 1, events: 1, messages: 1, told: SUBSCRIBERS })
})

it('filters that name neither token nor wallet are compared one by one', async () => {
  const filters = Array.from({ length: SUBSCRIBERS }, (_, index) => ({ minWeth: `0.${String(index + 1).padStart(4, '0')}` }))
  expect(await costsOf(filters)).toEqual({ filters: SUBSCRIBERS, events: 1, messages: SUBSCRIBERS, told: SUBSCRIBERS })
})

/** What one event costs a channel whose subscribers have these filters. */
async function costsOf(filtersOf: readonly EventFilters[]): Promise<Costs> {
  let [filters, events] = [0, 0]
  class CountedFilter extends EventFilter {
    override fits(event: ChannelEvent): boolean {
      filters++
      return super.fits(event)
    }
  }
  const counted = (event: ChannelEvent): ChannelEvent => {
    const toJSON = () => {
      events++
      return event.data
    }
    return { ...event, data: Object.assign({ ...event.data }, { toJSON }) }
  }
  const told: EventMessage[] = []
  const stored = new MemoryEvents()
  const channel = new EventChannel({
    channel: 'trades',
    read: async query => {
      const read = await stored.read(query)
      return { ...read, events: read.events.map(counted) }
    },
    ethUsd: () => null,
    logger: pino({ level: 'silent' }),
    now: () => 0,
  })
  for (const one of filtersOf) channel.subscribe(subscriberOf(told), new CountedFilter(one), { place: null, reorgs: null })
  await settle()
  expect({ filters, events, told }).toEqual({ filters: 0, events: 0, told: [] })
  stored.commit([TOKEN, MAKER])
  channel.changed()
  await settle()
  await channel.stop()
  return { filters, events, messages: new Set(told).size, told: told.length }
}
