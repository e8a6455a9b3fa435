import { expect, test } from 'vitest'
import { addressRanges, keyRanges } from '#store/exports/copyOut.ts'

test.each([
  [{ first: 10, last: 19, count: 3 }, [13, 16]],
  [{ first: 10, last: 12, count: 100 }, [11, 12]],
  [{ first: 10, last: 10, count: 5 }, []],
  [{ first: 10, last: 19, count: 1 }, []],
  [{ first: 10, last: 19, count: 0 }, []],
])('ranges of %j meet at %j, and have no bounds outside', (keys, bounds) => {
  const ranges = keyRanges({ ...keys, toSql: String })
  expect(ranges.map(({ from }) => from)).toEqual([null, ...bounds.map(String)])
  expect(ranges.map(({ to }) => to)).toEqual([...bounds.map(String), null])
})

test('ranges of addresses meet at prefixes of two bytes', () => {
  expect(
    addressRanges(32)
      .map(({ to }) => to)
      .slice(0, 3),
  ).toEqual([`'\\x0800'::bytea`, `'\\x1000'::bytea`, `'\\x1800'::bytea`])
})
