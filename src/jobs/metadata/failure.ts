/** Why a metadata URI could not be read. Stored with the URI as the outcome of its last attempt. */
export type MetadataProblem =
  /** No URI, or a document inside the URI that is not JSON. */
  | 'malformed'
  /** A scheme or content type that is not read. */
  | 'unsupported'
  /** A URL that creators may not name: a private host, credentials, another port. */
  | 'forbidden_url'
  /** A host name with an address that is not public. */
  | 'forbidden_address'
  /** A redirect to a forbidden URL or from https to http, or one redirect too many. */
  | 'forbidden_redirect'
  | 'not_found'
  /** Another status of 4xx. */
  | 'denied'
  | 'rate_limited'
  | 'server_error'
  /** No address, no connection, or one that broke. */
  | 'no_connection'
  | 'too_slow'
  | 'too_large'
  | 'wrong_type'
  | 'not_json'
  /** A defect of this code. */
  | 'internal'

export interface Failure {
  readonly ok: false
  readonly problem: MetadataProblem
  /** From the server's `Retry-After`. */
  readonly retryAfterMs: number | null
  /** It happened after a redirect, and says nothing about the first host. */
  readonly afterRedirect: boolean
}

export function failure(problem: MetadataProblem, retryAfterMs: number | null = null): Failure {
  return { ok: false, problem, retryAfterMs, afterRedirect: false }
}
