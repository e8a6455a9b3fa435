import { MAX_ATTEMPTS } from '#domain/metadata.ts'

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
export const RETRY_SCHEDULES = {
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
}

/** A failure without a redirect. */
export function failure(problem: MetadataProblem, retryAfterMs: number | null = null): Failure {
  return { kind: 'failure', problem, retryAfterMs, afterRedirect: false }
}

/** Whether a problem is not of the document, so that another gateway may have it. */
export function isTemporary({ problem }: Failure): boolean {
  return RETRY_SCHEDULES[problem] === TEMPORARY
}
