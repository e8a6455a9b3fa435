import { pino } from 'pino'
import { expect, it } from 'vitest'
import { EventChannel } from '#actors/events/eventChannel.ts'
import { EventFilter } from '#actors/events/eventFilter.ts'
import type { EventSubscriber } from '#actors/events/eventMessages.ts'
import { type EventPlace, endOfBlock } from '#domain/eventPlace.ts'
import type { Trade } from '#resources/trades.ts'
import { MemoryEvents } from '#test/support/memoryEvents.ts'

/** More events than this since a place are a gap. */
const MAX_REPLAYED = 6

/** What a client is told that resumes after a place of another chain. This chain has a trade in each of its blocks 1 to 10. */
async function resumeAfter(place: EventPlace) {
  const stored = new MemoryEvents(MAX_REPLAYED)
  for (let block = 1; block <= 10; block++) stored.commit([1, 10])
  const ids: string[] = []
  const gaps: (readonly [from: EventPlace, to: EventPlace])[] = []
  const subscriber: EventSubscriber = {
    isDrained: true,
    subscribed: () => {},
    deliver({ data }) {
      ids.push(...(JSON.parse(data) as readonly Trade[]).map(({ id }) => id))
      return true
    },
    reorg: () => expect.unreachable('no block was replaced'),
    gap: (from, to) => void gaps.push([from, to.place]),
  }
  const [logger, now] = [pino({ level: 'silent' }), () => 0]
  const channel = new EventChannel({ channel: 'trades', read: stored.read, ethUsd: () => null, logger, now })
  channel.subscribe(subscriber, new EventFilter({}), { place, reorgs: 0 })
  await settle()
  stored.commit([1, 10])
  channel.changed()
  await settle()
  await channel.stop()
  return { ids, gaps }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) {
    await new Promise<void>(resolve => {
      setImmediate(resolve)
    })
  }
}

it.each([
  ['a block of this chain', 6, '7-1 8-1 9-1 10-1'],
  ['the newest block of this chain', 10, ''],
])('gives each event after a lower place of another chain once: %s', async (_, blockNumber, replayed) => {
  const { ids, gaps } = await resumeAfter({ blockNumber, logIndex: 500 })
  expect(ids.join(' ')).toBe(`${replayed} 11-1`.trim())
  expect(gaps).toEqual([])
})

it('tells a gap after a place of another chain that is further back than the replay reaches', async () => {
  const place = { blockNumber: 2, logIndex: 500 }
  const { ids, gaps } = await resumeAfter(place)
  expect(gaps).toEqual([[place, endOfBlock(10)]])
  expect(ids).toEqual(['11-1'])
})
