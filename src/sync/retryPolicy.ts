import { type ErrorCode, hasCode, TokenwireError } from '#errors'
import { MAX_SILENCE_MS } from '#rpc/limits.ts'
import { faultOf } from '#rpc/rpcFault.ts'

export type RetryDecision = { readonly kind: 'retry'; readonly afterMs: number } | { readonly kind: 'give-up' }

const FIRST_DELAY_MS = 200
const MAX_DELAY_MS = 5_000
const LOOK_AGAIN_MS = 30_000

/** Only a person can fix these: the chain, the configuration and the database do not belong together. */
const HOPELESS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'chain_mismatch',
  'config_invalid',
  'database_foreign',
  'database_taken',
  'not_supported',
])

/**
 * What to do after a step of indexing failed. Cases:
 * 1. Only a person can fix it: give up. What is indexed is still served.
 * 2. A reorg is too deep: retry, seldom. A person may have to rewind the index, but a provider that shows another chain for a while looks
 *    the same.
 * 3. A provider asks for silence: retry after it.
 * 4. Anything else, a defect of this code included: retry, without end. Each attempt begins by reading the cursor from the database.
 *
 * @param attempt 1 after the first failure in a row
 * @param random 0 to 1, spreads the delay
 */
export function retryPolicy(error: unknown, attempt: number, random: number): RetryDecision {
  if (error instanceof TokenwireError && !error.retryable && HOPELESS.has(error.code)) return { kind: 'give-up' }
  if (hasCode(error, 'reorg_too_deep')) return { kind: 'retry', afterMs: LOOK_AGAIN_MS }
  const delay = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(attempt - 1, 10)) * (0.5 + random / 2)
  const fault = faultOf(error)
  const silence = fault?.kind === 'rate-limited' ? Math.min(fault.retryAfterMs ?? 0, MAX_SILENCE_MS) : 0
  return { kind: 'retry', afterMs: Math.max(delay, silence) }
}
