import { describe, expect, it } from 'vitest'
import {
  afterAnswer,
  afterDoubtfulRefusal,
  afterLogsAnswer,
  afterLogsRefusal,
  afterRefusal,
  afterTooManyCalls,
  type Limits,
  type LogRefusal,
  type RefusedRequest,
  shrunkTo,
  UNLIMITED,
} from '#rpc/limits.ts'

const NOW = 100_000
/** A request of 40 calls, four in flight, refused as a whole without a `Retry-After`. */
const REFUSED: RefusedRequest = { calls: 40, answered: 0, inFlight: 4, sentAtMs: NOW - 50, nowMs: NOW, retryAfterMs: null }
const refused = (limits: Limits, changed: Partial<RefusedRequest> = {}) => afterRefusal(limits, { ...REFUSED, ...changed })
const answered = (limits: Limits, requests: number, sentAtMs = NOW + 1_000) => {
  let next = limits
  for (let request = 0; request < requests; request++) next = afterAnswer(next, { calls: next.calls.size, sentAtMs })
  return next
}

describe('the limits of a provider', () => {
  it('are none before it has refused anything', () => {
    expect(UNLIMITED).toMatchObject({ concurrency: Number.POSITIVE_INFINITY, calls: { size: 100 }, blocks: { size: 100_000 } })
    expect(answered(UNLIMITED, 10)).toEqual({ ...UNLIMITED, calls: { ...UNLIMITED.calls, allowed: 100 } })
  })

  it.each<[string, Partial<RefusedRequest>, { concurrency: number; calls: number; silentMs: number }]>([
    ['a whole request: requests are counted', {}, { concurrency: 2, calls: 100, silentMs: 1_000 }],
    ['the only request in flight', { inFlight: 1 }, { concurrency: 1, calls: 100, silentMs: 1_000 }],
    ['the rest of a request: calls are counted', { answered: 20 }, { concurrency: 2, calls: 20, silentMs: 1_000 }],
    ['nearly all of it, but what belongs together', { answered: 1 }, { concurrency: 2, calls: 4, silentMs: 1_000 }],
    ['with Retry-After', { retryAfterMs: 7_000 }, { concurrency: 2, calls: 100, silentMs: 7_000 }],
    ['with Retry-After of a day', { retryAfterMs: 86_400_000 }, { concurrency: 2, calls: 100, silentMs: 300_000 }],
  ])('after a refusal of %s', (_, changed, expected) => {
    const { concurrency, calls, silentUntilMs } = refused(UNLIMITED, changed)
    expect({ concurrency, calls: calls.size, silentMs: silentUntilMs - NOW }).toEqual(expected)
  })

  it('take requests that were in flight together for one refusal', () => {
    const once = refused(UNLIMITED)
    expect(refused(once, { nowMs: NOW + 10 })).toEqual(once)
    expect(refused(once, { nowMs: NOW + 10, retryAfterMs: 5_000 })).toEqual({ ...once, silentUntilMs: NOW + 5_010 })
  })

  it('halve the size of requests that are refused again after a silence, and lengthen the silence', () => {
    const seen: (readonly [number, number])[] = []
    let limits = UNLIMITED
    for (let nowMs = NOW; seen.length < 8; nowMs = limits.silentUntilMs + 50) {
      limits = refused(limits, { calls: limits.calls.size, inFlight: 1, sentAtMs: nowMs - 50, nowMs })
      seen.push([limits.calls.size, limits.silentUntilMs - nowMs])
    }
    expect(seen.map(([calls]) => calls)).toEqual([100, 50, 25, 12, 6, 4, 4, 4])
    expect(seen.map(([, silentMs]) => silentMs)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
  })

  it('begin anew with the silence after an answer', () => {
    const limits = answered(refused(UNLIMITED), 1)
    expect(refused(limits, { sentAtMs: NOW + 1_100, nowMs: NOW + 1_150 }).silentUntilMs).toBe(NOW + 2_150)
    // Not after the answer to a request that was sent before.
    expect(answered(refused(UNLIMITED), 1, NOW - 10).refusalsInARow).toBe(1)
  })

  it('grow slowly by requests in flight, and are lifted in the end', () => {
    let limits = refused(UNLIMITED, { inFlight: 1 })
    const allowed: number[] = []
    for (let request = 0; request < 20; request++) {
      allowed.push(Math.floor(limits.concurrency))
      limits = answered(limits, 1)
    }
    expect(allowed.slice(0, 8)).toEqual([1, 1, 1, 1, 1, 1, 2, 2])
    expect(allowed.at(-1)).toBe(3)
    expect(answered(limits, 3_000).concurrency).toBe(Number.POSITIVE_INFINITY)
  })

  it('grow by one call per full request', () => {
    expect(answered(refused(UNLIMITED, { answered: 20 }), 5).calls.size).toBe(25)
    expect(afterAnswer(refused(UNLIMITED, { answered: 20 }), { calls: 19, sentAtMs: NOW + 1 }).calls.size).toBe(20)
  })

  it('find the number of calls that a request may hold', () => {
    let limits = UNLIMITED
    for (let request = 0; request < 100; request++) {
      const { size } = limits.calls
      limits = size > 10 ? afterTooManyCalls(limits, size) : afterAnswer(limits, { calls: size, sentAtMs: NOW })
    }
    expect(limits.calls.size).toBe(10)
    expect(limits).toMatchObject({ concurrency: Number.POSITIVE_INFINITY, silentUntilMs: 0 })
  })

  it.each<[LogRefusal, { blocks?: number; addresses?: number }]>([
    ['blocks', { blocks: 1_000 }],
    ['cut', { blocks: 1_000 }],
    ['addresses', { addresses: 400 }],
    ['address-required', {}],
  ])('after a log query of 2,000 blocks and 800 addresses was refused for its %s', (limit, expected) => {
    const { blocks, addresses } = afterLogsRefusal(UNLIMITED, { blocks: 2_000, addresses: 800 }, limit)
    expect({ blocks: blocks.size, addresses: addresses.size }).toEqual({ blocks: 100_000, addresses: 1_000, ...expected })
  })

  it('let fewer log queries be in flight after one was refused as if too fast, and a smaller one answered', () => {
    expect(afterDoubtfulRefusal(UNLIMITED, 4)).toEqual({ ...UNLIMITED, concurrency: 2 })
  })

  it('grow with log queries that are answered', () => {
    const limits = { ...UNLIMITED, blocks: shrunkTo(UNLIMITED.blocks, 1_000) }
    expect(afterLogsAnswer(limits, { blocks: 1_000, addresses: 3 }).blocks.size).toBe(1_500)
    expect(afterLogsAnswer(limits, { blocks: 900, addresses: 3 }).blocks.size).toBe(1_000)
  })
})
