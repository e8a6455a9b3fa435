import { backOffUntilMs, isUsable, type ProviderState } from './providerHealth.ts'

export type ProviderChoice<P> =
  | { readonly kind: 'ask'; readonly provider: P }
  /** The best provider has asked for silence; it may be asked after this many milliseconds. */
  | { readonly kind: 'wait'; readonly provider: P; readonly afterMs: number }
  /** Every provider serves another chain. */
  | { readonly kind: 'none' }

/**
 * Which provider is asked next: the first in the order of `RPC_URLS` that is usable and was not tried for this question. When none is left,
 * the one that failed longest ago: when all providers are in trouble, the first that works again is found at once. But a provider that
 * fails again and again is not asked in place of one that only asked for silence.
 */
export function chooseProvider<P extends ProviderState>(all: readonly P[], tried: ReadonlySet<string>, nowMs: number): ProviderChoice<P> {
  const usable = all.find(provider => isUsable(provider, nowMs) && !tried.has(provider.name))
  if (usable !== undefined) return { kind: 'ask', provider: usable }

  const onChain = all.filter(({ health }) => health.chain !== 'wrong')
  const [best] = onChain
    .filter(({ limits }) => nowMs >= limits.silentUntilMs)
    .toSorted((a, b) => rank(a, tried) - rank(b, tried) || backOffUntilMs(a.health) - backOffUntilMs(b.health))
  const [first] = onChain
    .filter(({ limits }) => nowMs < limits.silentUntilMs)
    .toSorted((a, b) => a.limits.silentUntilMs - b.limits.silentUntilMs)
  if (first === undefined) return best === undefined ? { kind: 'none' } : { kind: 'ask', provider: best }
  const { silentUntilMs } = first.limits
  if (best !== undefined && backOffUntilMs(best.health) <= silentUntilMs) return { kind: 'ask', provider: best }
  return { kind: 'wait', provider: first, afterMs: silentUntilMs - nowMs }
}

function rank({ name, health }: ProviderState, tried: ReadonlySet<string>): number {
  return (health.behind ? 2 : 0) + (tried.has(name) ? 1 : 0)
}
