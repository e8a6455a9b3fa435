import { describe, expect, it } from 'vitest'
import { UNLIMITED } from '#rpc/limits.ts'
import { type ProviderState, UNKNOWN_PROVIDER } from '#rpc/providerHealth.ts'
import { type AskEvent, type AskState, afterAskEvent, NOTHING_TRIED, nextStep, resendAfterMs } from '#rpc/rpc.ts'
import { RpcError, type RpcFault } from '#rpc/rpcFault.ts'

const provider = (name: string, silentUntilMs = 0): ProviderState => ({
  name,
  health: { ...UNKNOWN_PROVIDER, chain: 'right' },
  limits: { ...UNLIMITED, silentUntilMs },
})
const [a, b] = [provider('a'), provider('b')]
const facts = (...providers: ProviderState[]) => ({ providers, nowMs: 0, othersAnswered: false, random: 1 })
const error = new RpcError({ kind: 'network' })
const asked = (name: string): AskEvent => ({ kind: 'asked', provider: name })
const failed = (name: string, thrown: unknown = error): AskEvent => ({ kind: 'failed', provider: name, error: thrown })
const resent: AskEvent = { kind: 'resent', provider: 'a' }
const answered: AskEvent = { kind: 'answered', provider: 'a' }
const waited: AskEvent = { kind: 'waited' }
const after = (...events: AskEvent[]): AskState => events.reduce(afterAskEvent, NOTHING_TRIED)
const rejected = new RpcError({ kind: 'rejected', code: 3, text: '' })
const defect = new TypeError('a defect')

describe('nextStep', () => {
  it.each([
    ['asks the preferred provider first', after(), [a, b], { kind: 'ask', provider: a }],
    ['asks the next one at once after a failure', after(asked('a'), failed('a')), [a, b], { kind: 'ask', provider: b }],
    ['waits when all were asked', after(asked('a'), failed('a')), [a], { kind: 'wait', forMs: 100 }],
    ['asks again after the wait', after(asked('a'), failed('a'), waited), [a], { kind: 'ask', provider: a }],
    ['gives up with the last error', after(failed('a', 'first'), failed('a'), failed('a')), [a], { kind: 'giveUp', error }],
    ['counts lost requests as failures', after(asked('a'), resent, resent, failed('a')), [a], { kind: 'giveUp', error }],
    [
      'forgets losses once a request is answered',
      after(asked('a'), resent, resent, answered, failed('a')),
      [a],
      { kind: 'wait', forMs: 100 },
    ],
    ['gives up when the fault is about the question', after(failed('a', rejected)), [a, b], { kind: 'giveUp', error: rejected }],
    ['gives up after a defect', after(failed('a', defect)), [a, b], { kind: 'giveUp', error: defect }],
    ['waits for a provider that asked for silence', after(), [provider('a', 5_000)], { kind: 'wait', forMs: 5_000 }],
    ['does not wait for longer than callers do', after(), [provider('a', 60_000)], { kind: 'giveUp', error: { code: 'rpc_unavailable' } }],
    ['gives up without a provider of the chain', after(), [], { kind: 'giveUp', error: { code: 'chain_mismatch' } }],
  ] as const)('%s', (_, state, providers, step) => {
    expect(nextStep(state, facts(...providers))).toMatchObject(step)
  })
})

describe('resendAfterMs', () => {
  const network: RpcFault = { kind: 'network' }
  it.each([
    ['sends it again after a wait', after(asked('a')), [a], 0, 100],
    ['waits longer after each loss', after(asked('a'), resent), [a], 0, 200],
    ['fails after three losses', after(asked('a'), resent, resent), [a], 0, null],
    ['fails while another provider is untried', after(asked('a')), [a, b], 5, null],
    ['fails when another provider would be asked', after(asked('b'), asked('a')), [b, a], 0, null],
    ['goes on with an attempt that has answers', after(asked('b'), asked('a')), [b, a], 5, 100],
  ] as const)('%s', (_, state, providers, have, afterMs) => {
    expect(resendAfterMs(state, { provider: a, fault: network, answered: have }, facts(...providers))).toBe(afterMs)
  })
})
