import { MOST_ATTEMPTS } from '#domain/metadata.ts'
import type { Problem } from './problem.ts'

export type AttemptDecision = { readonly kind: 'retry'; readonly afterMs: number } | { readonly kind: 'give-up' }

interface Patience {
  readonly firstDelayMs: number
  readonly factor: number
  readonly mostAttempts: number
}

const MOST_DELAY_MS = 86_400_000
/** A server that asks for a longer silence is asked again all the same. */
export const MOST_SILENCE_MS = 3_600_000

/** The surroundings are at fault: four days in all. */
const TEMPORARY: Patience = { firstDelayMs: 30_000, factor: 4, mostAttempts: MOST_ATTEMPTS }
/** What is there is wrong, and may be put right, as documents are often uploaded after the launch: a day and a half in all. */
const DOUBTFUL: Patience = { firstDelayMs: 60_000, factor: 6, mostAttempts: 6 }

const PATIENCE: Readonly<Record<Problem, Patience | null>> = {
  malformed: null,
  unsupported: null,
  forbidden_url: null,
  forbidden_address: DOUBTFUL,
  forbidden_redirect: DOUBTFUL,
  not_found: DOUBTFUL,
  denied: DOUBTFUL,
  too_large: DOUBTFUL,
  wrong_type: DOUBTFUL,
  not_json: DOUBTFUL,
  internal: DOUBTFUL,
  rate_limited: TEMPORARY,
  server_error: TEMPORARY,
  no_connection: TEMPORARY,
  too_slow: TEMPORARY,
}

/**
 * What to do after an attempt failed: for ever when the URI itself is wrong, else again after a growing delay of at most a day, and not before
 * the server allows.
 *
 * @param attempts so far, this one included
 * @param random 0 to 1, spreads the delay
 */
export function nextAttempt(problem: Problem, attempts: number, retryAfterMs: number | null, random: number): AttemptDecision {
  const patience = PATIENCE[problem]
  if (patience === null || attempts >= patience.mostAttempts) return { kind: 'give-up' }
  const delay = Math.min(MOST_DELAY_MS, patience.firstDelayMs * patience.factor ** (attempts - 1)) * (0.8 + random * 0.2)
  return { kind: 'retry', afterMs: Math.round(Math.max(delay, Math.min(retryAfterMs ?? 0, MOST_SILENCE_MS))) }
}

/** Whether another gateway may do better, and the failure says nothing of the document. */
export function isTemporary(problem: Problem): boolean {
  return PATIENCE[problem] === TEMPORARY
}
