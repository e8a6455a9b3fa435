import type { TokenwireError } from './tokenwireError.ts'

/** What a REST call gives: it never rejects. */
export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: TokenwireError }

/**
 * The value, for code that lets failures fly.
 *
 * @throws the `TokenwireError` of a failed result
 */
export function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value
  throw result.error
}
