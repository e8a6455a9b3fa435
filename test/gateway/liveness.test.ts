import { describe, expect, it } from 'vitest'
import { judge, PING_AFTER_MS, type Signs, UNRESPONSIVE_MS, type Verdict } from '#gateway/liveness.ts'
import { TokenBucket } from '#gateway/tokenBucket.ts'

describe('judge', () => {
  const signs = (overrides: Partial<Signs> = {}): Signs => ({ heardAtMs: 0, pingedAtMs: 0, stuckSinceMs: null, ...overrides })

  it.each<[string, Signs, number, Verdict]>([
    ['leaves a client alone that was just heard', signs(), PING_AFTER_MS - 1, 'fine'],
    ['pings a silent one', signs(), PING_AFTER_MS, 'ping'],
    ['does not ping again at once', signs({ pingedAtMs: PING_AFTER_MS }), 2 * PING_AFTER_MS - 1, 'fine'],
    ['pings again when it stays silent', signs({ pingedAtMs: PING_AFTER_MS }), 2 * PING_AFTER_MS, 'ping'],
    ['closes one that answers nothing', signs({ pingedAtMs: 2 * PING_AFTER_MS }), UNRESPONSIVE_MS, 'close'],
    ['lets one live that answered the last ping', signs({ heardAtMs: 40_000, pingedAtMs: 40_000 }), UNRESPONSIVE_MS - 1, 'fine'],
    ['does not ping one that has data to read', signs({ stuckSinceMs: 0 }), UNRESPONSIVE_MS - 1, 'fine'],
    ['closes one that reads nothing, though it speaks', signs({ heardAtMs: 59_000, stuckSinceMs: 0 }), UNRESPONSIVE_MS, 'close'],
    ['lets one live that reads slowly, though it is silent', signs({ stuckSinceMs: 70_000 }), 100_000, 'fine'],
  ])('%s', (_, given, nowMs, verdict) => {
    expect(judge(given, nowMs)).toBe(verdict)
  })
})

describe('TokenBucket', () => {
  const takeAll = (bucket: TokenBucket, nowMs: number) => {
    let taken = 0
    while (bucket.take(nowMs)) taken++
    return taken
  }

  it('lets four seconds’ worth through at once, then the rate', () => {
    const bucket = new TokenBucket(50, 1_000)
    expect(takeAll(bucket, 1_000)).toBe(200)
    expect(takeAll(bucket, 1_019)).toBe(0)
    expect(takeAll(bucket, 1_020)).toBe(1)
    expect(takeAll(bucket, 2_020)).toBe(50)
    expect(takeAll(bucket, 1_000_000)).toBe(200)
  })
})
