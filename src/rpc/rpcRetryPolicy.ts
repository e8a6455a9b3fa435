import type { RpcFault } from './rpcFault.ts'

export type RpcRetryDecision = { readonly kind: 'retry'; readonly afterMs: number } | { readonly kind: 'give-up' }

export interface RpcRetrySituation {
  /** 1 after the first failure. */
  readonly attempt: number
  readonly providers: number
  /** Whether a usable provider has not been tried for this question. */
  readonly another: boolean
  /** Whether other questions were answered since this one was asked. */
  readonly othersAnswered: boolean
  /** 0 to 1, spreads the delay. */
  readonly random: number
}

const GIVE_UP: RpcRetryDecision = { kind: 'give-up' }
const FIRST_DELAY_MS = 100
const MOST_DELAY_MS = 1_000
/** Some 25 s. */
const MOST_ATTEMPTS = 30

/**
 * Whether a question is asked again after a fault: at once when another provider has not been tried, else after a short wait. Three times
 * in all, since whoever asked has longer waits of its own; more often where others are answered meanwhile. Hundreds of answers that are
 * needed together would never be complete if each had to come within three times from a provider that fails at every third.
 */
export function rpcRetryPolicy(
  fault: RpcFault,
  { attempt, providers, another, othersAnswered, random }: RpcRetrySituation,
): RpcRetryDecision {
  switch (fault.kind) {
    case 'too-large':
    case 'rejected':
    case 'batch-too-large':
    case 'closed':
      return GIVE_UP
    default: {
      if (attempt >= (othersAnswered && isOfTheMoment(fault) ? MOST_ATTEMPTS : Math.max(3, providers + 1))) return GIVE_UP
      const delay = Math.min(MOST_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1))
      return { kind: 'retry', afterMs: another ? 0 : delay * (0.5 + random / 2) }
    }
  }
}

/** Whether a fault is of one attempt rather than of what is asked, and quickly told. */
function isOfTheMoment({ kind }: RpcFault): boolean {
  return kind === 'network' || kind === 'http' || kind === 'garbled' || kind === 'rate-limited'
}
