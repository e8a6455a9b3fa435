import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createEventReader } from '#client/feed/eventStream.ts'

it('reads the data of events from text that is cut anywhere', () => {
  const text =
    'retry: 2000\n\n:\n\nid: 7\nevent: token.update\ndata: {"a":"ü😀"}\n\n:\n\ndata:1\ndata: 2\n\nevent: x\n\nevent: y\r\ndata: 3\r\n\r\ndata\ndatabase: 4\n\n'
  const expected = ['{"a":"ü😀"}', '1\n2', '3', '']
  fc.assert(
    fc.property(fc.array(fc.nat(text.length)), cuts => {
      const read = createEventReader()
      const places = [0, ...cuts.toSorted((a, b) => a - b), text.length]
      const events = places.slice(1).flatMap((end, index) => read(text.slice(places[index], end)) ?? [])
      expect(events).toEqual(expected)
    }),
  )
})

it('rejects an event without end', () => {
  const read = createEventReader()
  const lines = `data: ${'x'.repeat(1_000)}\n`.repeat(50)
  expect([read(lines), read(lines)]).toEqual([[], []])
  expect(read(lines)).toBeNull()
})

it('rejects a line without end', () => {
  const read = createEventReader()
  expect(read('x'.repeat(100_000))).toEqual([])
  expect(read('x'.repeat(100_000))).toBeNull()
})
