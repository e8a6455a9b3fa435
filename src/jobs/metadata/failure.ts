import { MAX_ATTEMPTS } from '#domain/metadata.ts'

interface RetrySchedule {
  readonly firstDelayMs: number
  readonly factor: number
  readonly maxAttempts: number
}

/** For problems of a server or the network: four days in all. */
const TEMPORARY: RetrySchedule = { firstDelayMs: 30_000, factor: 4, maxAttempts: MAX_ATTEMPTS }
/** For problems of the document, which is often uploaded or corrected after the launch: a day and a half in all. */
const DOUBTFUL: RetrySchedule = { firstDelayMs: 60_000, factor: 6, maxAttempts: 6 }

/** Why a metadata URI could not be read, and when it is tried again; `null`: never, since the URI itself is wrong. */
export const RETRY_SCHEDULES = {
  /** No URI, or a document inside the URI that is not JSON. */
  malformed: null,
  /** A scheme or content type that is not read. */
  unsupported: null,
  /** A URL that creators may not name: a private host, credentials, another port. */
  forbidden_url: null,
  /** A host name with an address that is not public. */
  forbidden_address: DOUBTFUL,
  /** A redirect to a forbidden URL or from https to http, or one redirect too many. */
  forbidden_redirect: DOUBTFUL,
  not_found: DOUBTFUL,
  /** Another status of 4xx. */
  denied: DOUBTFUL,
  too_large: DOUBTFUL,
  wrong_type: DOUBTFUL,
  not_json: DOUBTFUL,
  /** A defect of this code. */
  internal: DOUBTFUL,
  rate_limited: TEMPORARY,
  server_error: TEMPORARY,
  /** No address, no connection, or one that broke. */
  no_connection: TEMPORARY,
  too_slow: TEMPORARY,
}

/** Stored with the URI as the outcome of its last attempt. */
export type MetadataProblem = keyof typeof RETRY_SCHEDULES

export interface Failure {
  readonly kind: 'failure'
  readonly problem: MetadataProblem
  /** How long the server asks not to be asked, by its `Retry-After`; `null`: it did not say. */
  readonly retryAfterMs: number | null
  /** It happened after a redirect, and says nothing about the first host. */
  readonly afterRedirect: boolean
}

/** A failure without a redirect. `retryAfterMs`: what the server asked for; `null`: nothing. */
export function failure(problem: MetadataProblem, retryAfterMs: number | null = null): Failure {
  return { kind: 'failure', problem, retryAfterMs, afterRedirect: false }
}

/** Whether a problem says nothing about the document, so that another gateway may have it. */
export function isTemporary({ problem }: Failure): boolean {
  return RETRY_SCHEDULES[problem] === TEMPORARY
}
