import type { Misbehaviour } from './fakeProvider.ts'
import type { ManualClock } from './manualClock.ts'

/** For a provider that answers so many calls in a second, counting each of a batch, and refuses what comes faster. It has a second's worth at first. */
export function callQuota(perSecond: number): (clock: ManualClock) => Misbehaviour | undefined {
  let left = perSecond
  let at = Number.POSITIVE_INFINITY
  return clock => {
    const nowMs = clock.nowMs()
    left = Math.min(perSecond, left + (Math.max(0, nowMs - at) / 1_000) * perSecond)
    at = nowMs
    if (left < 1) return { kind: 'error', code: -32_005, message: 'over the rate limit' }
    left--
    return undefined
  }
}
