import type { Problem } from './problem.ts'

/**
 * What went wrong, as a word to branch on.
 *
 * - `not_found`: the address is no indexed token (404)
 * - `rate_limited`: the server asked to wait longer than the client waits by itself (429); see `retryAfterMs`
 * - `unavailable`: the server can't answer at the moment (5xx), after the retries
 * - `rejected`: the request itself is wrong or not allowed (any other 4xx); `problem` says why
 * - `invalid_answer`: the answer is not what the API promises; `path` says where
 * - `network`: no answer came at all, after the retries
 * - `timeout`: no answer came in time, after the retries
 * - `aborted`: the caller's signal ended it
 * - `closed`: the client was closed
 * - `dismissed`: the server closed the connection with a code that asks the client not to come back
 * - `too_many_watches`: more tokens are watched than all connections may carry
 */
export type TokenwireErrorCode =
  | 'not_found'
  | 'rate_limited'
  | 'unavailable'
  | 'rejected'
  | 'invalid_answer'
  | 'network'
  | 'timeout'
  | 'aborted'
  | 'closed'
  | 'dismissed'
  | 'too_many_watches'

interface Details {
  readonly status?: number | null
  readonly problem?: Problem | null
  readonly retryAfterMs?: number | null
  readonly path?: string | null
  readonly cause?: unknown
}

/** Every failure that this client knows of, as a value of a `Result`, given to `onError`, or thrown by an iterator. */
export class TokenwireError extends Error {
  override readonly name = 'TokenwireError'
  declare readonly code: TokenwireErrorCode
  /** HTTP status or WebSocket close code; `null` when there was none. */
  declare readonly status: number | null
  /** What the server said, when it said it as RFC 9457 asks. */
  declare readonly problem: Problem | null
  /** How long the server asked to wait; `null` when it did not. */
  declare readonly retryAfterMs: number | null
  /** Of `invalid_answer`: the first place that is not as promised, such as `data.0.market.priceWeth`. */
  declare readonly path: string | null

  constructor(code: TokenwireErrorCode, message: string, details: Details = {}) {
    super(message, details)
    const { status = null, problem = null, retryAfterMs = null, path = null } = details
    this.code = code
    this.status = status
    this.problem = problem
    this.retryAfterMs = retryAfterMs
    this.path = path
  }
}
