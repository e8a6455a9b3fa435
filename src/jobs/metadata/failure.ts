import { MAX_ATTEMPTS, type MetadataRecord, type MetadataWork, type TokenDocument } from '#domain/metadata.ts'

interface RetrySchedule {
  readonly firstDelayMs: number
  readonly factor: number
  readonly maxAttempts: number
}

/** Retries after problems of a server or the network, for four days in all. */
const TEMPORARY: RetrySchedule = { firstDelayMs: 30_000, factor: 4, maxAttempts: MAX_ATTEMPTS }
/** Retries after problems of a document, which is often uploaded or corrected after the launch, for a day and a half in all. */
const DOUBTFUL: RetrySchedule = { firstDelayMs: 60_000, factor: 6, maxAttempts: 6 }

/** The problems of reading a metadata URI, and when it is tried again; `null`: never, since the URI itself is wrong. */
const RETRY_SCHEDULES = {
  /** The text is no URI, or a document inside the URI is not JSON. */
  malformed: null,
  /** The URI has a scheme or content type that is not read. */
  unsupported: null,
  /** The URL is one that creators may not name: it has a private host, credentials or another port. */
  forbidden_url: null,
  /** The host name has an address that is not public. */
  forbidden_address: DOUBTFUL,
  /** The server redirects to a forbidden URL or from https to http, or too many times. */
  forbidden_redirect: DOUBTFUL,
  not_found: DOUBTFUL,
  /** The server answers with another status of 4xx. */
  denied: DOUBTFUL,
  too_large: DOUBTFUL,
  wrong_type: DOUBTFUL,
  not_json: DOUBTFUL,
  /** This code has a defect. */
  internal: DOUBTFUL,
  rate_limited: TEMPORARY,
  server_error: TEMPORARY,
  /** The host has no address, or the connection failed or broke. */
  no_connection: TEMPORARY,
  too_slow: TEMPORARY,
}

/** The outcome of a URI's last attempt, which is stored with the URI. */
export type MetadataProblem = keyof typeof RETRY_SCHEDULES

export interface Failure {
  readonly kind: 'failure'
  readonly problem: MetadataProblem
  /** The server's `Retry-After`; `null`: it gave none. */
  readonly retryAfterMs: number | null
  /** Whether it happened after a redirect, so that it says nothing about the first host. */
  readonly afterRedirect: boolean
  /** Of `no_connection`: the code of Node's error, such as `ECONNREFUSED`. */
  readonly code?: string
}

/** A failure without a redirect. */
export function failure(problem: MetadataProblem, retryAfterMs: number | null = null): Failure {
  return { kind: 'failure', problem, retryAfterMs, afterRedirect: false }
}

/** Whether a problem is not of the document, so that another gateway may have it. */
export function isTemporary({ problem }: Failure): boolean {
  return RETRY_SCHEDULES[problem] === TEMPORARY
}

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
