import { isUsable, type ProviderHealth } from './providerHealth.ts'

export type ProviderChoice =
  | { readonly kind: 'ask'; readonly name: string }
  /** The best is one that has asked for silence; it may be asked after so many milliseconds. */
  | { readonly kind: 'wait'; readonly afterMs: number }
  /** Every provider serves another chain. */
  | { readonly kind: 'none' }

/**
 * Which provider is asked next: the first in the order of `RPC_URLS` that is usable and was not tried for this question. When none is
 * left, the one that failed longest ago: a service whose providers are all in trouble still finds out at once when one is back. But one that
 * fails again and again is not asked instead of one that only wants to be asked later.
 */
export function chooseProvider(all: readonly ProviderHealth[], tried: ReadonlySet<string>, nowMs: number): ProviderChoice {
  const usable = all.find(health => isUsable(health, nowMs) && !tried.has(health.name))
  if (usable !== undefined) return { kind: 'ask', name: usable.name }

  const onChain = all.filter(({ chain }) => chain !== 'wrong')
  if (onChain.length === 0) return { kind: 'none' }
  const speaking = onChain.filter(({ silentUntilMs }) => nowMs >= silentUntilMs)
  const [best] = speaking.toSorted((a, b) => rank(a, tried) - rank(b, tried) || a.backOffUntilMs - b.backOffUntilMs)
  const silentUntilMs = Math.min(...onChain.flatMap(health => (speaking.includes(health) ? [] : [health.silentUntilMs])))
  if (best !== undefined && best.backOffUntilMs <= Math.max(nowMs, silentUntilMs)) return { kind: 'ask', name: best.name }
  return { kind: 'wait', afterMs: silentUntilMs - nowMs }
}

function rank(health: ProviderHealth, tried: ReadonlySet<string>): number {
  return (health.behind ? 2 : 0) + (tried.has(health.name) ? 1 : 0)
}
