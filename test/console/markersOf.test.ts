import { expect, test } from 'vitest'
import type { ChartMark } from '#console/state/chartMarks.ts'
import { markersOf } from '#console/token/markersOf.ts'

const palette = { up: 'green', down: 'red', accent: 'blue' }
const bar = (time: number) => ({ time, open: 1, high: 1, low: 1, close: 1, volume: 0 })
const BARS = [bar(60), bar(120), bar(240)]

const place = (kind: ChartMark['kind'], time: number, bars = BARS) =>
  markersOf([{ kind, time }], bars, { palette, timeOf: ({ time }) => (time + 3_600) as never })

test.each([
  ['in the first second of a bar', 120, 3_720],
  ['within a bar', 179, 3_720],
  ['in an interval without a bar, on the bar before', 200, 3_720],
  ['in the newest bar', 299, 3_840],
  ['after the newest bar, on it', 900, 3_840],
])('a mark stands %s', (_, time, expected) => {
  expect(place('launch', time).map(marker => marker.time)).toEqual([expected])
})

test('a mark before all bars, or without bars, is not drawn', () => {
  expect(place('launch', 59)).toEqual([])
  expect(place('launch', 120, [])).toEqual([])
})

// It stood on the bar before until the chart was drawn as a whole.
test('a mark that came before its bar moves to it', () => {
  expect(place('creatorBuy', 300)[0]?.time).toBe(3_840)
  expect(place('creatorBuy', 300, [...BARS, bar(300)])[0]?.time).toBe(3_900)
})

test('the creator’s purchases point up from below in the colour of rises, sales down from above in that of falls', () => {
  expect(place('creatorBuy', 60)[0]).toMatchObject({ position: 'belowBar', shape: 'arrowUp', color: 'green', text: 'B' })
  expect(place('creatorSell', 60)[0]).toMatchObject({ position: 'aboveBar', shape: 'arrowDown', color: 'red', text: 'S' })
  expect([place('launch', 60)[0]?.text, place('graduation', 60)[0]?.text]).toEqual(['L', 'G'])
})

// Five of them stood in a column that reached out of the chart.
test('marks of one kind on one bar are one marker with their number', () => {
  const marks = [60, 70, 80, 125].map(time => ({ kind: 'creatorBuy' as const, time }))
  expect(markersOf(marks, BARS, { palette, timeOf: ({ time }) => time as never }).map(({ text }) => text)).toEqual(['B3', 'B'])
})
