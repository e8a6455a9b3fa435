import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseProvider } from '#rpc/chooseProvider.ts'
import {
  afterAnswer,
  afterFault,
  isHealthy,
  isUsable,
  markBehind,
  type ProviderHealth,
  toRpcHealth,
  unknownProvider,
} from '#rpc/providerHealth.ts'
import type { RpcFault } from '#rpc/rpcFault.ts'
import { rpcRetryPolicy } from '#rpc/rpcRetryPolicy.ts'

const NETWORK: RpcFault = { kind: 'network' }
const good = (name: string): ProviderHealth => ({ ...unknownProvider(name), chain: 'right' })
const failing = (health: ProviderHealth, fault: RpcFault, times: number, nowMs = 1_000): ProviderHealth => {
  let failed = health
  for (let count = 0; count < times; count++) failed = afterFault(failed, fault, { startedAtMs: nowMs + count, nowMs: nowMs + count }, 1)
  return failed
}

describe('the health of a provider', () => {
  it('outlives single failures and not three in a row', () => {
    expect(isHealthy(failing(good('a'), NETWORK, 2), 2_000)).toBe(true)
    expect(isHealthy(failing(good('a'), NETWORK, 3), 2_000)).toBe(false)
  })

  it('outlives one time-out and not two', () => {
    expect(isHealthy(failing(good('a'), { kind: 'timeout' }, 1), 2_000)).toBe(true)
    expect(isHealthy(failing(good('a'), { kind: 'timeout' }, 2), 2_000)).toBe(false)
  })

  it('counts the failures of calls that were under way together as one', () => {
    let health = good('a')
    for (let call = 0; call < 10; call++) health = afterFault(health, NETWORK, { startedAtMs: 1_000, nowMs: 1_010 + call }, 1)
    expect(health.consecutiveFailures).toBe(1)
    expect(isHealthy(health, 2_000)).toBe(true)
  })

  it('is restored by one answer to a question that was put after the failure', () => {
    const failed = failing(good('a'), NETWORK, 5, 1_000)
    expect(afterAnswer(failed, { startedAtMs: 500, nowMs: 1_100 }).consecutiveFailures).toBe(5)
    expect(isUsable(afterAnswer(failed, { startedAtMs: 1_100, nowMs: 1_120 }), 1_120)).toBe(true)
  })

  it('backs off for longer with every failure, up to half a minute', () => {
    const waits = [1, 2, 3, 4, 20].map(times => failing(good('a'), NETWORK, times, 0).backOffUntilMs - (times - 1))
    expect(waits).toEqual([250, 500, 1_000, 2_000, 30_000])
  })

  it('keeps the silence that was asked for, through answers to other calls', () => {
    const silenced = afterFault(good('a'), { kind: 'rate-limited', retryAfterMs: 5_000 }, { startedAtMs: 0, nowMs: 10 }, 0)
    const answered = afterAnswer(silenced, { startedAtMs: 20, nowMs: 30 })
    expect(isUsable(answered, 5_009)).toBe(false)
    expect(isUsable(answered, 5_010)).toBe(true)
  })

  it('does not suffer from questions that are too large or refused everywhere', () => {
    const faults: RpcFault[] = [
      { kind: 'too-large', limit: { kind: 'density' } },
      { kind: 'rejected', code: 3, text: 'execution reverted' },
      { kind: 'batch-too-large' },
    ]
    for (const fault of faults) expect(isUsable(failing(good('a'), fault, 10), 2_000)).toBe(true)
  })

  it('is not good before it has shown the right chain', () => {
    expect(toRpcHealth(unknownProvider('a'), 0).healthy).toBe(false)
    expect(isHealthy(failing(unknownProvider('a'), NETWORK, 1), 9_000)).toBe(false)
    expect(isHealthy(failing(good('a'), { kind: 'wrong-chain', expected: 1, actual: 2 }, 1), 9_000)).toBe(false)
  })

  it('averages latency and errors', () => {
    let health = good('a')
    for (let call = 0; call < 200; call++) health = afterAnswer(health, { startedAtMs: call * 100, nowMs: call * 100 + 40 })
    expect(toRpcHealth(health, 0)).toEqual({ name: 'a', healthy: true, latencyMs: 40, errorRate: 0 })
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 100 }), outcomes => {
        let mixed = good('a')
        outcomes.forEach((ok, at) => {
          const span = { startedAtMs: at, nowMs: at }
          mixed = ok ? afterAnswer(mixed, span) : afterFault(mixed, NETWORK, span, 0.5)
        })
        const { errorRate } = toRpcHealth(mixed, 1e9)
        expect(errorRate).toBeGreaterThanOrEqual(0)
        expect(errorRate).toBeLessThanOrEqual(1)
      }),
    )
  })

  const showing = (name: string, timestamp: number, seenAtMs = 0): ProviderHealth => ({ ...good(name), head: { timestamp, seenAtMs } })
  const behind = (...all: ProviderHealth[]) => markBehind(all).map(health => health.behind)

  it('knows who is an hour behind, and takes it back', () => {
    const [late, fresh] = markBehind([showing('a', 10_000), showing('b', 13_600)])
    expect([late?.behind, fresh?.behind]).toEqual([true, false])
    const caughtUp = { ...(late ?? good('a')), head: { timestamp: 13_598, seenAtMs: 0 } }
    expect(behind(caughtUp, showing('b', 13_600))).toEqual([false, false])
  })

  it('holds nobody behind who was looked at earlier, or later on a chain that stands still', () => {
    expect(behind(showing('a', 10_000, 0), showing('b', 10_300, 300_000))).toEqual([false, false])
    expect(behind(showing('a', 10_000, 0), showing('b', 10_000, 300_000))).toEqual([false, false])
    expect(behind(showing('a', 10_000, 300_000), showing('b', 10_300, 300_000))).toEqual([true, false])
  })

  it('holds nobody behind a provider of another chain, or one that has shown no head', () => {
    expect(behind(showing('a', 10_000), { ...showing('b', 99_999), chain: 'wrong' })).toEqual([false, false])
    expect(behind(good('a'), showing('b', 99_999))).toEqual([false, false])
    expect(behind(good('a'))).toEqual([false])
  })
})

describe('chooseProvider', () => {
  const none = new Set<string>()
  it('takes the first usable one in the order of the URLs', () => {
    expect(chooseProvider([good('a'), good('b')], none, 0)).toEqual({ kind: 'ask', name: 'a' })
    expect(chooseProvider([failing(good('a'), NETWORK, 1), good('b')], none, 1_001)).toEqual({ kind: 'ask', name: 'b' })
  })

  it('returns to the earlier one after its back-off', () => {
    expect(chooseProvider([failing(good('a'), NETWORK, 1), good('b')], none, 1_250)).toEqual({ kind: 'ask', name: 'a' })
  })

  it('does not ask the same one twice while another is left', () => {
    expect(chooseProvider([good('a'), good('b')], new Set(['a']), 0)).toEqual({ kind: 'ask', name: 'b' })
  })

  it('falls back to the one that failed longest ago, before its back-off is over', () => {
    const all = [failing(good('a'), NETWORK, 9), failing(good('b'), NETWORK, 3)]
    expect(chooseProvider(all, none, 1_100)).toEqual({ kind: 'ask', name: 'b' })
  })

  it('waits when all that serve the chain ask for silence', () => {
    const silent = { ...good('a'), silentUntilMs: 9_000 }
    const wrong: ProviderHealth = { ...good('b'), chain: 'wrong' }
    expect(chooseProvider([silent, wrong], none, 1_000)).toEqual({ kind: 'wait', afterMs: 8_000 })
    expect(chooseProvider([wrong], none, 1_000)).toEqual({ kind: 'none' })
  })

  it('waits for one that asks for silence rather than ask one that is backed off for longer', () => {
    const silent = { ...good('a'), silentUntilMs: 2_000 }
    const dead = failing(good('b'), NETWORK, 9)
    expect(chooseProvider([silent, dead], new Set(['a', 'b']), 1_100)).toEqual({ kind: 'wait', afterMs: 900 })
    expect(chooseProvider([{ ...silent, silentUntilMs: 60_000 }, dead], new Set(['a', 'b']), 1_100)).toEqual({ kind: 'ask', name: 'b' })
    expect(chooseProvider([silent, failing(good('b'), NETWORK, 1)], none, 1_100)).toEqual({ kind: 'ask', name: 'b' })
  })

  it('asks one that is far behind only when nobody else is left', () => {
    const late = { ...good('a'), behind: true }
    expect(chooseProvider([late, failing(good('b'), NETWORK, 9)], none, 1_100)).toEqual({ kind: 'ask', name: 'b' })
    expect(chooseProvider([late], none, 1_100)).toEqual({ kind: 'ask', name: 'a' })
  })
})

describe('rpcRetryPolicy', () => {
  const situation = { attempt: 1, providers: 2, another: true, othersAnswered: false, random: 1 }
  it('asks another provider at once', () => {
    expect(rpcRetryPolicy(NETWORK, situation)).toEqual({ kind: 'retry', afterMs: 0 })
  })

  it('waits a little longer each time when there is no other, and gives up after three', () => {
    const alone = { ...situation, providers: 1, another: false }
    expect([1, 2, 3].map(attempt => rpcRetryPolicy(NETWORK, { ...alone, attempt }))).toEqual([
      { kind: 'retry', afterMs: 100 },
      { kind: 'retry', afterMs: 200 },
      { kind: 'give-up' },
    ])
  })

  it('goes on for longer, and no more slowly than once a second, while other questions are answered', () => {
    const among = { ...situation, providers: 1, another: false, othersAnswered: true }
    const delays = Array.from({ length: 29 }, (_, before) => rpcRetryPolicy(NETWORK, { ...among, attempt: before + 1 }))
    expect(delays.slice(0, 6)).toEqual([100, 200, 400, 800, 1_000, 1_000].map(afterMs => ({ kind: 'retry', afterMs })))
    expect(delays.at(-1)).toEqual({ kind: 'retry', afterMs: 1_000 })
    expect(rpcRetryPolicy(NETWORK, { ...among, attempt: 30 })).toEqual({ kind: 'give-up' })
    // What may lie in the question, and what takes too long.
    const others: readonly RpcFault[] = [{ kind: 'timeout' }, { kind: 'missing', what: '' }, { kind: 'node', code: -32_000, text: '' }]
    for (const fault of others) expect(rpcRetryPolicy(fault, { ...among, attempt: 3 })).toEqual({ kind: 'give-up' })
  })

  it('gives every provider its turn', () => {
    expect(rpcRetryPolicy(NETWORK, { ...situation, providers: 5, attempt: 5 }).kind).toBe('retry')
    expect(rpcRetryPolicy(NETWORK, { ...situation, providers: 5, attempt: 6 }).kind).toBe('give-up')
  })

  it('gives up what no other provider would answer', () => {
    expect(rpcRetryPolicy({ kind: 'rejected', code: 3, text: '' }, situation)).toEqual({ kind: 'give-up' })
    expect(rpcRetryPolicy({ kind: 'too-large', limit: { kind: 'density' } }, situation)).toEqual({ kind: 'give-up' })
  })
})
