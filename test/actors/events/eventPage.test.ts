import { expect, test } from 'vitest'
import { EventPage } from '#actors/events/eventChannel.ts'
import { type ChannelPosition, type EventPlace, endOfBlock } from '#domain/eventPlace.ts'
import type { ChannelEvents } from '#resources/channelEvent.ts'

const at = (blockNumber: number, logIndex = 0): EventPlace => ({ blockNumber, logIndex })
const position = (place: EventPlace, reorgs = 2): ChannelPosition => ({ place, reorgs })
const CHANNEL_END = endOfBlock(100)
const SIZE = 3

function pageWith(read: Partial<Omit<ChannelEvents, 'events'>> & { readonly places?: readonly EventPlace[] }, asked = position(at(50))) {
  const { places = [], ...rest } = read
  const events = places.map(place => ({ place }) as ChannelEvents['events'][number])
  return new EventPage({ reorgs: 2, voidFrom: null, newest: CHANNEL_END, isTooFar: false, ...rest, events }, asked, CHANNEL_END, SIZE)
}

test.each([
  ['all events that there are ends with the channel', { places: [at(60), at(70)] }, false, CHANNEL_END],
  ['as many as fit ends with the last one', { places: [at(60), at(70), at(80)] }, true, at(80)],
  ['none, since there are too many, ends with the channel', { isTooFar: true }, false, CHANNEL_END],
])('a page with %s', (_, read, isFull, end) => {
  const page = pageWith(read)
  expect([page.isFull, page.end]).toEqual([isFull, position(end)])
})

const FULL = { places: [at(60), at(70), at(80)] }
test.each([
  ['its own position', FULL, position(at(50)), true],
  ['a later position', FULL, position(at(65)), true],
  ['its end', FULL, position(at(80)), true],
  ['an earlier position, of which events are missing', FULL, position(at(49)), false],
  ['a position after its end', FULL, position(at(80, 1)), false],
  ['a position that counts other reorgs, of which other blocks may be void', FULL, position(at(65), 1), false],
  ['its own position, too far', { isTooFar: true }, position(at(50)), true],
  ['an earlier position, which is too far as well', { isTooFar: true }, position(at(49)), true],
  ['a later position, which may be near enough', { isTooFar: true }, position(at(51)), false],
  ['a position of void blocks, which goes back to where the page begins', { ...FULL, voidFrom: 40 }, position(at(45)), true],
])('whether a page covers %s', (_, read, of, expected) => {
  expect(pageWith(read).covers(of)).toBe(expected)
})

test.each([
  ['without a reorg it goes on where it is', {}, at(65), at(65)],
  ['before a reorg it goes on where it is', { voidFrom: 70 }, at(65, 4), at(65, 4)],
  ['after a reorg it goes back to the end of the block before', { voidFrom: 60 }, at(65), endOfBlock(59)],
  ['while nothing is indexed it goes back no further than the channel', { voidFrom: 200 }, at(201), CHANNEL_END],
])('where a reader goes on: %s', (_, read, of, from) => {
  expect(pageWith({ ...read, reorgs: 3 }).continueFrom(of)).toEqual(position(from, 3))
})
