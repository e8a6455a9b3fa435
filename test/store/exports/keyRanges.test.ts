import { expect, test } from 'vitest'
import { keyRanges } from '#store/exports/keyRanges.ts'

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
