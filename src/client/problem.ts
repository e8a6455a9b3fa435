/** How the server explains an error (RFC 9457). */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  /** A stable word such as `token_not_found` or `price_unavailable`. */
  readonly code: string
  /** To be found in the server's log. */
  readonly requestId: string
}
