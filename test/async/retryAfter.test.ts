import { expect, it } from 'vitest'
import { parseRetryAfter } from '#async/retryAfter.ts'

const NOW = Date.UTC(2025, 0, 1, 12)

it.each([
  ['7', 7_000],
  ['0', 0],
  ['1.5', 1_500],
  ['999999999', 999_999_999_000],
  ['9'.repeat(400), Number.POSITIVE_INFINITY],
  ['Wed, 01 Jan 2025 12:00:30 GMT', 30_000],
  ['Wed, 01 Jan 2025 11:00:00 GMT', 0],
  ['soon', null],
  ['-5', null],
  ['1e12', null],
  ['', null],
  [null, null],
  [undefined, null],
])('reads the header %j', (header, milliseconds) => {
  expect(parseRetryAfter(header, NOW)).toBe(milliseconds)
})
