import { TokenwireError } from '#errors'
import { chooseProvider } from './chooseProvider.ts'
import { MAX_SILENCE_WAIT_MS } from './limits.ts'
import { isUsable, type ProviderState } from './providerHealth.ts'
import { faultOf, RpcError, type RpcFault } from './rpcFault.ts'
import { rpcRetryPolicy } from './rpcRetryPolicy.ts'

/** What was tried for one question. */
export interface AskState {
  /** Names of the providers that were asked. */
  readonly tried: ReadonlySet<string>
  /** Failed attempts and lost requests. */
  readonly failures: number
  /** How many of the failures are lost requests of an attempt under way, since its last answer. By provider. */
  readonly losses: ReadonlyMap<string, number>
  /** What the last attempt has thrown, until the wait after it is over. */
  readonly failure: { readonly error: unknown } | null
}

export type AskEvent =
  /** An attempt with this provider begins. */
  | { readonly kind: 'asked'; readonly provider: string }
  /** A request of its attempt was answered; was lost, and is sent again. */
  | { readonly kind: 'answered' | 'resent'; readonly provider: string }
  | { readonly kind: 'failed'; readonly provider: string; readonly error: unknown }
  | { readonly kind: 'waited' }

/** What the decisions depend on besides what was tried. */
export interface AskFacts<P extends ProviderState> {
  /** The providers, in the order of preference. */
  readonly providers: readonly P[]
  readonly nowMs: number
  /** Whether other questions were answered since this one was asked. */
  readonly othersAnswered: boolean
  /** 0 to 1, spreads the delays. */
  readonly random: number
}

export type AskStep<P> =
  | { readonly kind: 'ask'; readonly provider: P }
  | { readonly kind: 'wait'; readonly forMs: number }
  | { readonly kind: 'giveUp'; readonly error: unknown }

export const NOTHING_TRIED: AskState = { tried: new Set(), failures: 0, losses: new Map(), failure: null }

export function afterAskEvent(state: AskState, event: AskEvent): AskState {
  switch (event.kind) {
    case 'asked':
      return { ...state, tried: new Set([...state.tried, event.provider]), failure: null }
    case 'answered':
      return { ...withLosses(state, event.provider, 0), failures: state.failures - lossesOf(state, event.provider) }
    case 'resent':
      return { ...withLosses(state, event.provider, lossesOf(state, event.provider) + 1), failures: state.failures + 1 }
    case 'failed':
      return { ...withLosses(state, event.provider, 0), failures: state.failures + 1, failure: { error: event.error } }
    case 'waited':
      return { ...state, failure: null }
  }
}

/** What to do when no attempt is under way. */
export function nextStep<P extends ProviderState>({ tried, failures, failure }: AskState, facts: AskFacts<P>): AskStep<P> {
  if (failure !== null) {
    const fault = faultOf(failure.error)
    const waitMs = fault === null ? null : retryAfterMs(fault, failures, tried, facts)
    if (waitMs === null) return { kind: 'giveUp', error: failure.error }
    if (waitMs > 0) return { kind: 'wait', forMs: waitMs }
  }
  const choice = chooseProvider(facts.providers, tried, facts.nowMs)
  switch (choice.kind) {
    case 'ask':
      return choice
    case 'none':
      return { kind: 'giveUp', error: new TokenwireError('chain_mismatch', 'every RPC provider serves another chain', { retryable: true }) }
    case 'wait':
      if (choice.afterMs <= MAX_SILENCE_WAIT_MS) return { kind: 'wait', forMs: choice.afterMs }
      return { kind: 'giveUp', error: new RpcError({ kind: 'rate-limited', retryAfterMs: choice.afterMs, text: '' }) }
  }
}

/**
 * After how many milliseconds an attempt sends a lost request again; `null`: the attempt fails. It fails while another provider is untried,
 * and when it has no answers yet and a new attempt would ask another provider.
 */
export function resendAfterMs<P extends ProviderState>(
  { tried, failures }: AskState,
  { provider, fault, answered }: { readonly provider: P; readonly fault: RpcFault; readonly answered: number },
  facts: AskFacts<P>,
): number | null {
  const { providers, nowMs } = facts
  if (untried(tried, facts) !== null || provider.limits.silentUntilMs - nowMs > MAX_SILENCE_WAIT_MS) return null
  const next = chooseProvider(providers, tried, nowMs)
  if (answered === 0 && (next.kind === 'none' || next.provider !== provider)) return null
  return retryAfterMs(fault, failures + 1, tried, facts)
}

/** The first usable provider that was not asked; `null`: there is none. */
export function untried<P extends ProviderState>(
  tried: ReadonlySet<string>,
  { providers, nowMs }: Pick<AskFacts<P>, 'providers' | 'nowMs'>,
): P | null {
  return providers.find(one => !tried.has(one.name) && isUsable(one, nowMs)) ?? null
}

/** `null`: it is not asked again. */
function retryAfterMs<P extends ProviderState>(
  fault: RpcFault,
  failures: number,
  tried: ReadonlySet<string>,
  facts: AskFacts<P>,
): number | null {
  const { providers, othersAnswered, random } = facts
  const hasAnother = untried(tried, facts) !== null
  const decision = rpcRetryPolicy(fault, { failures, providers: providers.length, hasAnother, othersAnswered, random })
  return decision.kind === 'retry' ? decision.afterMs : null
}

function lossesOf({ losses }: AskState, provider: string): number {
  return losses.get(provider) ?? 0
}

function withLosses(state: AskState, provider: string, losses: number): AskState {
  return { ...state, losses: new Map(state.losses).set(provider, losses) }
}
