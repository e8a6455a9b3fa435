import { setImmediate as turn } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { EventChannel, type EventChannelOptions } from '#actors/events/eventChannel.ts'
import { EventFilter } from '#actors/events/eventFilter.ts'
import type { EventSubscriber } from '#actors/events/eventMessages.ts'
import { endOfBlock, formatPlace } from '#domain/eventPlace.ts'
import { MemoryEvents } from '#test/support/memoryEvents.ts'

/** Records the places of its events, and how many reads the first one took. */
class Follower implements EventSubscriber {
  readonly isDrained = true
  readonly places: string[] = []
  readsBefore: number | null = null
  readonly #reads: () => number

  constructor(reads: () => number = () => 0) {
    this.#reads = reads
  }

  subscribed(): void {}

  deliver({ place }: Parameters<EventSubscriber['deliver']>[0]): boolean {
    this.readsBefore ??= this.#reads()
    this.places.push(formatPlace(place))
    return true
  }

  reorg(): void {
    this.places.push('reorg')
  }

  gap(): void {
    this.places.push('gap')
  }
}

const open = (read: EventChannelOptions['read']) =>
  new EventChannel({
    channel: 'trades',
    read,
    ethUsd: () => null,
    logger: pino({ level: 'silent' }),
    now: () => 0,
    pages: { following: 1_000, behind: 100 },
  })

const after = (block: number) => ({ place: endOfBlock(block), reorgs: 0 })

/** The reads are of memory, so a turn of the event loop ends all that they lead to. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 3; turns++) await turn()
}

// It was taken to the channel's place, and never got blocks 8 to 10.
test('a client that resumes from a database behind the channel gets every event once the database has them', async () => {
  const [primary, replica] = [storeOf(10), storeOf(7)]
  let database = primary
  const channel = open(query => database.read(query))
  channel.subscribe(new Follower(), new EventFilter({}), { place: null, reorgs: null })
  await settled()
  database = replica
  const late = new Follower()
  channel.subscribe(late, new EventFilter({}), after(5))
  await settled()
  database = primary
  channel.changed()
  channel.sweep()
  await settled()
  primary.commit([1, 10])
  channel.changed()
  await settled()
  expect(late.places).toEqual(['6-1', '7-1', '8-1', '9-1', '10-1', '11-1'])
})

test('those behind take turns, so that one far behind does not hold up the others', async () => {
  const events = storeOf(2_000)
  const channel = open(query => events.read(query))
  const [far, near] = [new Follower(), new Follower(() => events.reads)]
  channel.subscribe(far, new EventFilter({}), after(0))
  channel.subscribe(near, new EventFilter({}), after(1_990))
  await settled()
  expect(far.places).toHaveLength(2_000)
  expect(near.places).toHaveLength(10)
  expect(near.readsBefore).toBeLessThan(10)
})

function storeOf(blocks: number): MemoryEvents {
  const events = new MemoryEvents()
  for (let block = 1; block <= blocks; block++) events.commit([1, 10])
  return events
}
