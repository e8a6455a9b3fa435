import { describe, expect, it } from 'vitest'
import { needsSnapshot } from '#actors/token/subscriberSet.ts'
import { isNewer } from '#actors/token/tokenState.ts'

describe('isNewer', () => {
  it('takes a strictly larger sequence only', () => {
    expect(isNewer(8, 7, 7)).toBe(true)
    expect(isNewer(7, 7, 7)).toBe(false)
    expect(isNewer(6, 7, null)).toBe(false)
  })

  it('takes any state, also of sequence 0, when there was none', () => {
    expect(isNewer(0, null, null)).toBe(true)
  })

  it('takes no state older than what subscribers have received, even when no state is known', () => {
    expect(isNewer(7, null, 7)).toBe(true)
    expect(isNewer(6, null, 7)).toBe(false)
  })
})

describe('needsSnapshot', () => {
  it('is true for a client with an older state or none', () => {
    expect(needsSnapshot(7, null)).toBe(true)
    expect(needsSnapshot(0, null)).toBe(true)
    expect(needsSnapshot(7, 6)).toBe(true)
    expect(needsSnapshot(7, 7)).toBe(false)
    expect(needsSnapshot(7, 8)).toBe(false)
  })
})
