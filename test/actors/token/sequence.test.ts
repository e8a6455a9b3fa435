import { describe, expect, it } from 'vitest'
import { isNewer, isOwed } from '#actors/token/sequence.ts'

describe('isNewer', () => {
  it('takes a strictly larger sequence only', () => {
    expect(isNewer(8, 7, 7)).toBe(true)
    expect(isNewer(7, 7, 7)).toBe(false)
    expect(isNewer(6, 7, null)).toBe(false)
  })

  it('takes any state, also of sequence 0, when there was none', () => {
    expect(isNewer(0, null, null)).toBe(true)
  })

  it('takes no older one than somebody was told of, though nothing is known', () => {
    expect(isNewer(7, null, 7)).toBe(true)
    expect(isNewer(6, null, 7)).toBe(false)
  })
})

describe('isOwed', () => {
  it('owes the state to who holds an older one or none', () => {
    expect(isOwed(7, null)).toBe(true)
    expect(isOwed(0, null)).toBe(true)
    expect(isOwed(7, 6)).toBe(true)
    expect(isOwed(7, 7)).toBe(false)
    expect(isOwed(7, 8)).toBe(false)
  })
})
