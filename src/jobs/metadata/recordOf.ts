import type { MetadataRecord, MetadataWork } from '#domain/metadata.ts'
import type { Attempted } from './attempt.ts'
import { nextAttempt } from './attemptPolicy.ts'

/** Never sooner: a host's silence that is nearly over is no reason to spin. */
const LEAST_PAUSE_MS = 1_000

/** What is remembered of an attempt. One that asked nobody is not counted. */
export function recordOf({ key, attempts }: MetadataWork, attempted: Attempted, random: number): MetadataRecord {
  const nothing = { key, attempts, retryAfterMs: null, document: null }
  switch (attempted.kind) {
    case 'read':
      return { ...nothing, state: 'read', outcome: 'read', attempts: attempts + 1, document: attempted.document }
    case 'paused':
      return { ...nothing, state: 'pending', outcome: 'paused', retryAfterMs: Math.ceil(Math.max(attempted.forMs, LEAST_PAUSE_MS)) }
    case 'forgone':
      return { ...nothing, state: 'pending', outcome: attempted.because }
    case 'failed': {
      const { problem, retryAfterMs } = attempted.failure
      const decision = nextAttempt(problem, attempts + 1, retryAfterMs, random)
      const tried = { ...nothing, attempts: attempts + 1, outcome: problem }
      if (decision.kind === 'give-up') return { ...tried, state: 'refused' }
      return { ...tried, state: 'pending', retryAfterMs: decision.afterMs }
    }
  }
}
