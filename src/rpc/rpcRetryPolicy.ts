import { isLost, type RpcFault } from './rpcFault.ts'

export type RpcRetryDecision = { readonly kind: 'retry'; readonly afterMs: number } | { readonly kind: 'give-up' }

export interface RpcRetrySituation {
  /** Failed attempts and lost requests of the question: 1 after the first one. An answered call resets the losses of its attempt. */
  readonly failures: number
  readonly providers: number
  /** Whether a usable provider has not been tried for this question. */
  readonly hasAnother: boolean
  /** Whether other questions were answered since this one was asked. */
  readonly othersAnswered: boolean
  /** 0 to 1, spreads the delay. */
  readonly random: number
}

const FIRST_DELAY_MS = 100
const MAX_DELAY_MS = 1_000
const USUAL_ATTEMPTS = 3
/** Some 25 s. */
const PATIENT_ATTEMPTS = 30

/** Whether a question that failed is asked again: at once when another provider has not been tried, else after a short wait. */
export function rpcRetryPolicy(fault: RpcFault, situation: RpcRetrySituation): RpcRetryDecision {
  const { failures, providers, hasAnother, random } = situation
  if (isAboutQuestion(fault)) return { kind: 'give-up' }
  const maxAttempts = deservesPatience(fault, situation) ? PATIENT_ATTEMPTS : Math.max(USUAL_ATTEMPTS, providers + 1)
  if (failures >= maxAttempts) return { kind: 'give-up' }
  const delay = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - 1))
  return { kind: 'retry', afterMs: hasAnother ? 0 : delay * (0.5 + random / 2) }
}

/** Whether every attempt and every provider would end in this fault. */
function isAboutQuestion({ kind }: RpcFault): boolean {
  return kind === 'too-large' || kind === 'rejected' || kind === 'closed'
}

/**
 * Whether many attempts are worthwhile: the provider limits its rate, or it answers other questions and this fault came quickly. Hundreds
 * of answers that are needed together would never be complete if each had to come within three attempts from a provider that fails at
 * every third.
 */
function deservesPatience(fault: RpcFault, { othersAnswered }: RpcRetrySituation): boolean {
  if (fault.kind === 'rate-limited') return true
  const isQuick = (isLost(fault) && fault.kind !== 'timeout') || fault.kind === 'http' || fault.kind === 'garbled'
  return othersAnswered && isQuick
}
