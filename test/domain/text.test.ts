import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cleanText } from '#domain/text.ts'

test.each([
  ['Alpha', 'Alpha'],
  ['A\0B', 'AB'],
  ['', null],
  ['\0\0', null],
  ['\ud800broken', '�broken'],
  ['\0broken\ud800', 'broken�'],
  ['\u202edesrever', '\u202edesrever'],
])('cleans %j to %j', (text, clean) => expect(cleanText(text, 100)).toBe(clean))

test('cuts a megabyte at a code point and leaves no half of one', () => {
  expect(cleanText('😀'.repeat(500_000), 10)).toBe('😀'.repeat(10))
  expect(cleanText(`a${'😀'.repeat(500_000)}`, 10)).toBe(`a${'😀'.repeat(9)}`)
})

test('gives text that is well formed, without NUL and within the limit, for any input', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.integer({ min: 1, max: 64 }), (text, limit) => {
      const clean = cleanText(text, limit)
      if (clean === null) return
      expect(clean.isWellFormed()).toBe(true)
      expect(clean).not.toContain('\0')
      expect([...clean].length).toBeLessThanOrEqual(limit)
    }),
  )
})
