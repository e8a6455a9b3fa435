import type { MetadataRecord, MetadataWork, TokenDocument } from '#domain/metadata.ts'
import { type Failure, type MetadataProblem, RETRY_SCHEDULES } from './failure.ts'

export type Attempted =
  | { readonly kind: 'read'; readonly document: TokenDocument }
  | { readonly kind: 'failed'; readonly failure: Failure }
  /** No request was sent, since every host is paused, the first one for another `forMs`. */
  | { readonly kind: 'paused'; readonly forMs: number }
  | { readonly kind: 'disabled'; readonly by: 'fetch_off' | 'http_off' }

const MAX_DELAY_MS = 86_400_000
/** The longest `Retry-After` that is respected. */
export const MAX_PAUSE_MS = 3_600_000
/** The shortest delay while all hosts are paused. */
const MIN_PAUSE_MS = 1_000

/**
 * The delay until the next attempt, which grows up to a day and is never shorter than the server's `Retry-After`.
 *
 * @param attempts the number of failed attempts, including this one
 * @param random 0 to 1, spreads the delay
 * @returns `null`: there is no next attempt, since the URI itself is wrong, or was tried often enough
 */
export function retryDelayMs(problem: MetadataProblem, attempts: number, retryAfterMs: number | null, random: number): number | null {
  const schedule = RETRY_SCHEDULES[problem]
  if (schedule === null || attempts >= schedule.maxAttempts) return null
  const delay = Math.min(MAX_DELAY_MS, schedule.firstDelayMs * schedule.factor ** (attempts - 1)) * (0.8 + random * 0.2)
  return Math.round(Math.max(delay, Math.min(retryAfterMs ?? 0, MAX_PAUSE_MS)))
}

/** The record to store after an attempt. Only attempts that sent a request, or needed none, are counted. */
export function recordOf({ key, attempts }: MetadataWork, attempted: Attempted, random: number): MetadataRecord {
  const nothing = { key, attempts, retryAfterMs: null, document: null }
  switch (attempted.kind) {
    case 'read':
      return { ...nothing, state: 'read', outcome: 'read', attempts: attempts + 1, document: attempted.document }
    case 'paused':
      return { ...nothing, state: 'pending', outcome: 'paused', retryAfterMs: Math.ceil(Math.max(attempted.forMs, MIN_PAUSE_MS)) }
    case 'disabled':
      return { ...nothing, state: 'pending', outcome: attempted.by }
    case 'failed': {
      const { problem } = attempted.failure
      const retryAfterMs = retryDelayMs(problem, attempts + 1, attempted.failure.retryAfterMs, random)
      const state = retryAfterMs === null ? 'refused' : 'pending'
      return { ...nothing, state, outcome: problem, attempts: attempts + 1, retryAfterMs }
    }
  }
}
