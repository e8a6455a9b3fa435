import type { Misbehaviour } from './fakeProvider.ts'
import type { ManualClock } from './manualClock.ts'

/** The limit of a provider of calls per second that counts each call of a batch. It starts with a second's calls. */
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
