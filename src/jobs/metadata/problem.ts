/** Why a URI could not be read. */
export type Problem =
  /** No URI, or a local document that is none. */
  | 'malformed'
  /** A scheme or kind of content that is not read. */
  | 'unsupported'
  /** An address that a creator may not name: private, with credentials, on another port. */
  | 'forbidden_url'
  /** A name that leads to an address that is not public. */
  | 'forbidden_address'
  /** A redirect to such a place, one redirect too many, or one from https to http. */
  | 'forbidden_redirect'
  | 'not_found'
  /** Another 4xx. */
  | 'denied'
  | 'rate_limited'
  | 'server_error'
  /** No address, no connection, or one that broke. */
  | 'no_connection'
  | 'too_slow'
  | 'too_large'
  | 'wrong_type'
  | 'not_json'
  /** A defect of ours. */
  | 'internal'

/** A reason without anything of the request or the answer, and how long the server asks to be left alone. */
export interface Failure {
  readonly ok: false
  readonly problem: Problem
  readonly retryAfterMs: number | null
  /** It was met after a redirect, and says nothing of the host that was asked. */
  readonly elsewhere: boolean
}

export function failure(problem: Problem, retryAfterMs: number | null = null): Failure {
  return { ok: false, problem, retryAfterMs, elsewhere: false }
}
