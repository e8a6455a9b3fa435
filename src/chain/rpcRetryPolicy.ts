import type { RpcFault } from './rpcFault.ts'

export type RpcRetryDecision = { readonly kind: 'retry'; readonly afterMs: number } | { readonly kind: 'give-up' }

export interface RpcRetrySituation {
  /** 1 after the first failure. */
  readonly attempt: number
  readonly providers: number
  /** Whether a usable provider has not been tried for this question. */
  readonly another: boolean
  /** 0 to 1, spreads the delay. */
  readonly random: number
}

const GIVE_UP: RpcRetryDecision = { kind: 'give-up' }
const FIRST_DELAY_MS = 100

/**
 * Whether a question is asked again after a fault: at once when another provider has not been tried, else after a short wait, and about
 * three times in all. Whoever asked then decides on longer waits.
 */
export function rpcRetryPolicy(fault: RpcFault, { attempt, providers, another, random }: RpcRetrySituation): RpcRetryDecision {
  switch (fault.kind) {
    case 'too-large':
    case 'rejected':
    case 'batch-too-large':
    case 'closed':
      return GIVE_UP
    default: {
      if (attempt >= Math.max(3, providers + 1)) return GIVE_UP
      return { kind: 'retry', afterMs: another ? 0 : FIRST_DELAY_MS * 2 ** (attempt - 1) * (0.5 + random / 2) }
    }
  }
}
