import { describe, expect, it } from 'vitest'
import { UNLIMITED } from '#rpc/limits.ts'
import { afterFault, type ProviderHealth, type ProviderState, UNKNOWN_PROVIDER } from '#rpc/providerHealth.ts'
import { chooseProvider } from '#rpc/rpc.ts'

const good = (name: string, changed: Partial<ProviderHealth> = {}): ProviderState => ({
  name,
  health: { ...UNKNOWN_PROVIDER, chain: 'right', ...changed },
  limits: UNLIMITED,
})
const failing = (name: string, times: number): ProviderState => {
  const failed = good(name)
  let { health } = failed
  for (let nowMs = 1_000; nowMs < 1_000 + times; nowMs++) health = afterFault(health, { kind: 'network' }, { sentAtMs: nowMs, nowMs })
  return { ...failed, health }
}
const silent = (name: string, silentUntilMs: number): ProviderState => ({ ...good(name), limits: { ...UNLIMITED, silentUntilMs } })
const ask = (name: string) => ({ kind: 'ask', provider: { name } })

describe('chooseProvider', () => {
  const none = new Set<string>()
  it('takes the first usable one in the order of the URLs', () => {
    expect(chooseProvider([good('a'), good('b')], none, 0)).toMatchObject(ask('a'))
    expect(chooseProvider([failing('a', 1), good('b')], none, 1_001)).toMatchObject(ask('b'))
  })

  it('returns to the earlier one after its back-off', () => {
    expect(chooseProvider([failing('a', 1), good('b')], none, 1_250)).toMatchObject(ask('a'))
  })

  it('does not ask the same one twice while another is left', () => {
    expect(chooseProvider([good('a'), good('b')], new Set(['a']), 0)).toMatchObject(ask('b'))
  })

  it('falls back to the one that failed longest ago, before its back-off is over', () => {
    const all = [failing('a', 9), failing('b', 3)]
    expect(chooseProvider(all, none, 1_100)).toMatchObject(ask('b'))
  })

  it('waits when all that serve the chain ask for silence, for the one that ends first', () => {
    const wrong = good('b', { chain: 'wrong' })
    const all = [silent('a', 9_000), wrong, silent('c', 7_000)]
    expect(chooseProvider(all, none, 1_000)).toMatchObject({ kind: 'wait', provider: { name: 'c' }, afterMs: 6_000 })
    expect(chooseProvider([wrong], none, 1_000)).toEqual({ kind: 'none' })
  })

  it('waits for a silent provider rather than ask one that is backed off for longer', () => {
    const all = new Set(['a', 'b'])
    const dead = failing('b', 9)
    expect(chooseProvider([silent('a', 2_000), dead], all, 1_100)).toMatchObject({ kind: 'wait', provider: { name: 'a' }, afterMs: 900 })
    expect(chooseProvider([silent('a', 60_000), dead], all, 1_100)).toMatchObject(ask('b'))
    expect(chooseProvider([silent('a', 2_000), failing('b', 1)], none, 1_100)).toMatchObject(ask('b'))
  })

  it('asks a provider that is far behind only when no other is left', () => {
    const late = good('a', { behind: true })
    expect(chooseProvider([late, failing('b', 9)], none, 1_100)).toMatchObject(ask('b'))
    expect(chooseProvider([late], none, 1_100)).toMatchObject(ask('a'))
  })
})
