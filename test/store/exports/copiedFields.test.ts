import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { copiedFields } from '#store/exports/copiedFields.ts'
import { copyOf, inChunks } from '#test/support/copiedBytes.ts'

async function textsOf(ranges: readonly AsyncIterable<Buffer>[], fieldsPerRow: number): Promise<(string | null)[]> {
  const texts: (string | null)[] = []
  for await (const { bytes, places } of copiedFields(Readable.from(ranges), fieldsPerRow)) {
    for (let place = 0; place < places.length; place += 2) {
      const [start = 0, end] = places.slice(place, place + 2)
      texts.push(start === -1 ? null : bytes.toString('utf8', start, end))
    }
  }
  return texts
}

test('finds the fields of a COPY wherever its bytes are cut', async () => {
  const rows = [
    ['a', null],
    ['', 'ab\ncd'],
    [null, 'é'],
  ] as const
  const bytes = copyOf(rows)
  for (let first = 0; first <= bytes.length; first++) {
    for (let second = first; second <= bytes.length; second += 3) {
      expect(await textsOf([inChunks(bytes, first, second)], 2), `cut at ${first} and ${second}`).toEqual(rows.flat())
    }
  }
  expect(await textsOf([inChunks(copyOf([])), inChunks(bytes), inChunks(bytes)], 2)).toEqual([...rows.flat(), ...rows.flat()])
})
