import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { afterAnswer, afterRefusal, type Limits, UNLIMITED } from '#rpc/limits.ts'
import {
  afterBelieved,
  afterFault,
  afterResponse,
  areBehind,
  backOffUntilMs,
  isHealthy,
  isUsable,
  type ProviderHealth,
  toRpcHealth,
  troubleOf,
  UNKNOWN_PROVIDER,
} from '#rpc/providerHealth.ts'
import type { RpcFault } from '#rpc/rpcFault.ts'

const NETWORK: RpcFault = { kind: 'network' }
const GOOD: ProviderHealth = { ...UNKNOWN_PROVIDER, chain: 'right' }
const failing = (health: ProviderHealth, fault: RpcFault, times: number, nowMs = 1_000): ProviderHealth => {
  let failed = health
  for (let count = 0; count < times; count++) failed = afterFault(failed, fault, { sentAtMs: nowMs + count, nowMs: nowMs + count })
  return failed
}
const of = (health: ProviderHealth, limits: Limits = UNLIMITED) => ({ name: 'rpc-1', health, limits })

describe('the health of a provider', () => {
  it('outlives single failures and not three in a row', () => {
    expect(isHealthy(of(failing(GOOD, NETWORK, 2)), 2_000)).toBe(true)
    expect(isHealthy(of(failing(GOOD, NETWORK, 3)), 2_000)).toBe(false)
  })

  it('outlives one time-out and not two', () => {
    expect(isHealthy(of(failing(GOOD, { kind: 'timeout' }, 1)), 2_000)).toBe(true)
    expect(isHealthy(of(failing(GOOD, { kind: 'timeout' }, 2)), 2_000)).toBe(false)
  })

  it('counts the failures of calls that were under way together as one', () => {
    let health = GOOD
    for (let call = 0; call < 10; call++) health = afterFault(health, NETWORK, { sentAtMs: 1_000, nowMs: 1_010 + call })
    expect(health.consecutiveFailures).toBe(1)
    expect(isHealthy(of(health), 2_000)).toBe(true)
  })

  it('is restored by one answer that is believed, to a question that was asked after the failure', () => {
    const failed = failing(GOOD, NETWORK, 5, 1_000)
    expect(afterBelieved(failed, 500).consecutiveFailures).toBe(5)
    expect(afterResponse(failed, { sentAtMs: 1_100, nowMs: 1_120 }).consecutiveFailures).toBe(5)
    expect(isUsable(of(afterBelieved(failed, 1_100)), 1_120)).toBe(true)
  })

  it('backs off for longer with every failure, up to half a minute', () => {
    const waits = [1, 2, 3, 4, 20].map(times => backOffUntilMs(failing(GOOD, NETWORK, times, 0)) - (times - 1))
    expect(waits).toEqual([250, 500, 1_000, 2_000, 30_000])
  })

  it('is not usable while it has asked for silence, and healthy when that is short', () => {
    const silent = of(GOOD, { ...UNLIMITED, silentUntilMs: 20_000 })
    expect([isUsable(silent, 19_999), isUsable(silent, 20_000)]).toEqual([false, true])
    expect(toRpcHealth(silent, 9_000)).toMatchObject({ healthy: false, silentSeconds: 11 })
    expect(toRpcHealth(silent, 10_001)).toMatchObject({ healthy: true, silentSeconds: 10 })
    expect(toRpcHealth(silent, 20_000)).toMatchObject({ healthy: true, silentSeconds: null })
  })

  it('stays ill after a long silence until it answers, and says why', () => {
    const refused = (retryAfterMs: number, limits: Limits, nowMs: number) =>
      afterRefusal(limits, { calls: 1, answered: 0, inFlight: 1, sentAtMs: nowMs, nowMs, retryAfterMs })
    const rateLimited = failing(GOOD, { kind: 'rate-limited', retryAfterMs: 20_000, text: '' }, 1, 1_000)
    const limits = refused(20_000, UNLIMITED, 1_000)
    // With 429 and Retry-After, health was ok for the last ten seconds of each silence.
    for (const nowMs of [1_000, 12_000, 20_999, 21_500])
      expect(toRpcHealth(of(rateLimited, limits), nowMs)).toMatchObject({ healthy: false, cause: 'rate limit' })
    expect(troubleOf(of(rateLimited, limits), 12_000)).toBe('rpc-1: rate limit, to be asked again in 20 s')
    const answered = of(afterBelieved(rateLimited, 21_600), afterAnswer(limits, { calls: 1, sentAtMs: 21_600 }))
    expect(toRpcHealth(answered, 21_700)).toMatchObject({ healthy: true, cause: null })
    expect(troubleOf(answered, 21_700)).toBeNull()
    expect(toRpcHealth(of(rateLimited, refused(5_000, UNLIMITED, 1_000)), 1_000).healthy).toBe(true)
  })

  it('shows what the limiter allows', () => {
    const { calls, blocks } = UNLIMITED
    const limits = { ...UNLIMITED, concurrency: 3.7, calls: { ...calls, size: 20 }, blocks: { ...blocks, size: 500 } }
    expect(toRpcHealth(of(GOOD, limits), 0)).toMatchObject({ concurrency: 3, batchSize: 20, rangeBlocks: 500 })
    expect(toRpcHealth(of(GOOD), 0)).toMatchObject({ concurrency: null, batchSize: 100, rangeBlocks: 100_000 })
  })

  it('does not suffer from questions that are too large or refused everywhere', () => {
    const faults: RpcFault[] = [
      { kind: 'too-large', limit: 'blocks', cause: { kind: 'timeout' } },
      { kind: 'rejected', code: 3, text: 'execution reverted' },
    ]
    for (const fault of faults) expect(isUsable(of(failing(GOOD, fault, 10)), 2_000)).toBe(true)
  })

  it('is not good before it has shown the right chain', () => {
    expect(toRpcHealth(of(UNKNOWN_PROVIDER), 0).healthy).toBe(false)
    expect(isHealthy(of(failing(UNKNOWN_PROVIDER, NETWORK, 1)), 9_000)).toBe(false)
    expect(isHealthy(of(failing(GOOD, { kind: 'wrong-chain', expected: 1, actual: 2 }, 1)), 9_000)).toBe(false)
  })

  it('averages latency and errors', () => {
    let health = GOOD
    for (let call = 0; call < 200; call++) health = afterResponse(health, { sentAtMs: call * 100, nowMs: call * 100 + 40 })
    expect(toRpcHealth(of(health), 0)).toMatchObject({ name: 'rpc-1', healthy: true, latencyMs: 40, errorRate: 0 })
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 100 }), outcomes => {
        let mixed = GOOD
        outcomes.forEach((ok, at) => {
          mixed = ok ? afterBelieved(mixed, at) : afterFault(mixed, NETWORK, { sentAtMs: at, nowMs: at })
        })
        const { errorRate } = toRpcHealth(of(mixed), 1e9)
        expect(errorRate).toBeGreaterThanOrEqual(0)
        expect(errorRate).toBeLessThanOrEqual(1)
      }),
    )
  })

  const showing = (timestamp: number, seenAtMs = 0): ProviderHealth => ({ ...GOOD, head: { timestamp, seenAtMs } })

  it('knows that a provider is an hour behind', () => {
    expect(areBehind([showing(10_000), showing(13_600)])).toEqual([true, false])
    expect(areBehind([showing(13_598), showing(13_600)])).toEqual([false, false])
  })

  it('holds no provider behind that was asked earlier, or later on a chain that stands still', () => {
    expect(areBehind([showing(10_000, 0), showing(10_300, 300_000)])).toEqual([false, false])
    expect(areBehind([showing(10_000, 0), showing(10_000, 300_000)])).toEqual([false, false])
    expect(areBehind([showing(10_000, 300_000), showing(10_300, 300_000)])).toEqual([true, false])
  })

  it('holds no provider behind one of another chain, nor one that has shown no head', () => {
    expect(areBehind([showing(10_000), { ...showing(99_999), chain: 'wrong' }])).toEqual([false, false])
    expect(areBehind([GOOD, showing(99_999)])).toEqual([false, false])
    expect(areBehind([GOOD])).toEqual([false])
  })
})
