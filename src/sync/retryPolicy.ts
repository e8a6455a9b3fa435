import { type ErrorCode, hasCode, TokenwireError } from '#errors'
import { faultOf } from '#rpc/rpcFault.ts'

export type RetryDecision = { readonly kind: 'retry'; readonly afterMs: number } | { readonly kind: 'give-up' }

const FIRST_DELAY_MS = 200
const MOST_DELAY_MS = 5_000
const LOOK_AGAIN_MS = 30_000
/** Longer than this no provider is obeyed: a header may ask for a day. */
const LONGEST_SILENCE_MS = 300_000

/** What only a person can mend: the indexed chain, the configuration or the database is of another world than this one. */
const HOPELESS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'chain_mismatch',
  'config_invalid',
  'database_foreign',
  'database_taken',
  'not_supported',
])

/**
 * What to do after a step of indexing failed. Cases:
 * 1. what only a person can mend: give up; the service goes on serving what it has
 * 2. a chain that has left the index behind: look again, seldom. A person may have to mend that, but a provider that shows another chain
 *    looks the same, and comes to its senses
 * 3. providers that ask for silence: not before they allow
 * 4. anything else, and for ever: providers, the database, and what nobody thought of, since the next attempt begins from the database
 *
 * @param attempt 1 after the first failure in a row
 * @param random 0 to 1, spreads the delay
 */
export function retryPolicy(error: unknown, attempt: number, random: number): RetryDecision {
  if (error instanceof TokenwireError && !error.retryable && HOPELESS.has(error.code)) return { kind: 'give-up' }
  if (hasCode(error, 'reorg_too_deep')) return { kind: 'retry', afterMs: LOOK_AGAIN_MS }
  const delay = Math.min(MOST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(attempt - 1, 10)) * (0.5 + random / 2)
  const fault = faultOf(error)
  const silence = fault?.kind === 'rate-limited' ? Math.min(fault.retryAfterMs ?? 0, LONGEST_SILENCE_MS) : 0
  return { kind: 'retry', afterMs: Math.max(delay, silence) }
}
