import { ClientError } from './clientError.ts'

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
