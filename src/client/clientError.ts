import type { Problem } from './generated/types.ts'

/**
 * What went wrong, as a word to branch on.
 *
 * - `not_found`: the address is not an indexed token (404)
 * - `rate_limited`: the server asks for a longer pause than the client waits by itself (429); see `retryAfterMs`
 * - `unavailable`: the server can't answer now (5xx), after the retries
 * - `rejected`: the request is wrong or not allowed (any other 4xx); `problem` says why
 * - `invalid_answer`: the answer does not have the promised shape; `path` says where
 * - `network`: no answer arrived, after the retries
 * - `timeout`: no answer arrived in time, after the retries
 * - `aborted`: the caller's signal ended the call
 * - `closed`: the client is closed
 * - `dismissed`: the server closed the connection with a code that asks the client not to reconnect
 * - `too_many_watches`: more tokens are watched than all connections may carry
 */
export type ClientErrorCode =
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

type Details = Partial<Pick<ClientError, 'status' | 'problem' | 'retryAfterMs' | 'path' | 'cause'>>

/**
 * Every failure that the client reports: in a `Result`, to `onError`, or thrown by an iterator. Public as `TokenwireError`, which
 * is also its `name`.
 */
export class ClientError extends Error {
  override readonly name = 'TokenwireError'
  declare readonly code: ClientErrorCode
  /** HTTP status or WebSocket close code; `null` when there was none. */
  declare readonly status: number | null
  /** The server's explanation; `null` when it sent none. */
  declare readonly problem: Problem | null
  /** How long the server asks to wait; `null` when it does not ask. */
  declare readonly retryAfterMs: number | null
  /** With `invalid_answer`: the first field that does not have the promised shape, such as `data.0.market.priceWeth`. */
  declare readonly path: string | null

  /** Each entry of the package, as a module and as CommonJS, has a class of its own. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return (value as Partial<ClientError> | null | undefined)?.name === 'TokenwireError'
  }

  constructor(code: ClientErrorCode, message: string, details: Details = {}) {
    super(message, details)
    Object.assign(this, { code, status: null, problem: null, retryAfterMs: null, path: null }, details)
  }
}

/** The outcome of a REST call, which never rejects. */
export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: ClientError }

export function failed(...error: ConstructorParameters<typeof ClientError>): Result<never> {
  return { ok: false, error: new ClientError(...error) }
}

/** @throws the `TokenwireError` of a failed result */
export function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value
  throw result.error
}
