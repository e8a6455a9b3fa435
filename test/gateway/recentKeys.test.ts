import { expect, test } from 'vitest'
import { RecentKeys } from '#gateway/http/responseCache.ts'

test('knows a key that was noted before', () => {
  const recent = new RecentKeys()
  expect([recent.note('/a'), recent.note('/b'), recent.note('/a')]).toEqual([false, false, true])
})

test('forgets the oldest keys beyond two million characters, and none of the newest million', () => {
  const recent = new RecentKeys()
  const key = (index: number) => `${index}`.padEnd(1_000, '-')
  for (let index = 0; index < 3_000; index++) recent.note(key(index))
  expect(recent.note(key(2_999))).toBe(true)
  expect(recent.note(key(2_000))).toBe(true)
  expect(recent.note(key(0))).toBe(false)
})

test('a key that is noted again stays', () => {
  const recent = new RecentKeys()
  const filler = (index: number) => `${index}`.padEnd(1_000, '-')
  for (let index = 0; index < 10_000; index++) {
    recent.note(filler(index))
    expect(recent.note('/popular')).toBe(index > 0)
  }
})
