/** The codes on which callers branch. A new code needs a caller that treats it differently. */
export type ErrorCode =
  | 'config_invalid'
  | 'chain_mismatch'
  | 'database_foreign'
  | 'database_taken'
  | 'database_unavailable'
  | 'rpc_unavailable'
  | 'rpc_inconsistent'
  | 'rpc_range_too_large'
  | 'rpc_rejected'
  | 'reorg_too_deep'
  | 'price_unavailable'
  | 'not_counted'
  | 'not_supported'

export interface TokenwireErrorOptions {
  /** Whether the same call may succeed later. */
  readonly retryable?: boolean
  /** For the log; without secrets. */
  readonly details?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

/** Every error that this service throws on purpose. `message` is for people, `code` for programs. */
export class TokenwireError extends Error {
  readonly code: ErrorCode
  readonly retryable: boolean
  readonly details: Readonly<Record<string, unknown>>

  constructor(code: ErrorCode, message: string, options: TokenwireErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'TokenwireError'
    this.code = code
    this.retryable = options.retryable ?? false
    this.details = options.details ?? {}
  }
}

export function hasCode(error: unknown, code: ErrorCode): boolean {
  return error instanceof TokenwireError && error.code === code
}

/** The message of an error, or the text of another value that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
