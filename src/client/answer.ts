import { parseRetryAfter } from '#async/retryAfter.ts'
import type { Problem } from './problem.ts'
import { problemSchema } from './resources.ts'
import type { RestCall } from './restCall.ts'
import { mismatch } from './schema.ts'
import { TokenwireError } from './tokenwireError.ts'

/** What came of one attempt. */
export type Answer<T> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'invalid'; readonly status: number; readonly path: string }
  | { readonly kind: 'status'; readonly status: number; readonly problem: Problem | null; readonly retryAfterMs: number | null }
  | { readonly kind: 'timeout' | 'network'; readonly cause: unknown }

type Failure = Exclude<Answer<unknown>, { kind: 'value' }>

/** Reads a response to its end. Rejects when the connection breaks before that. */
export async function readAnswer<T>(
  response: Response,
  { schema, alsoStatus }: Pick<RestCall<T>, 'schema' | 'alsoStatus'>,
): Promise<Answer<T>> {
  const { status } = response
  const body = parse(await response.text())
  if (status === 200 || status === alsoStatus) {
    const path = mismatch(schema, body)
    if (path === null) return { kind: 'value', value: body as T }
    if (status === 200) return { kind: 'invalid', status, path }
  }
  if (status < 400) return { kind: 'invalid', status, path: '' }
  const problem = mismatch(problemSchema, body) === null ? (body as Problem) : null
  return { kind: 'status', status, problem, retryAfterMs: retryAfterMs(response.headers) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A longer pause is cut to this, so that no header can silence the client for good. */
const MAX_RETRY_AFTER_MS = 3_600_000

/** How long the server asks to wait, in ms from now; `null` when it does not ask. */
export function retryAfterMs(headers: Headers): number | null {
  const askedMs = parseRetryAfter(headers.get('retry-after'), Date.now())
  return askedMs === null ? null : Math.min(askedMs, MAX_RETRY_AFTER_MS)
}

export function errorOf(failure: Failure): TokenwireError {
  switch (failure.kind) {
    case 'network':
    case 'timeout':
      return new TokenwireError(failure.kind, 'no answer came', failure)
    case 'invalid':
      return new TokenwireError('invalid_answer', `the answer is not as promised at "${failure.path}"`, failure)
    case 'status': {
      const { status, problem } = failure
      return new TokenwireError(codeOf(status), problem?.detail ?? `the server answered ${status}`, failure)
    }
  }
}

function codeOf(status: number) {
  if (status === 404) return 'not_found'
  if (status === 429) return 'rate_limited'
  return status >= 500 ? 'unavailable' : 'rejected'
}

/** Whether the same request may fare better later. */
export function isRetryable({ code }: TokenwireError): boolean {
  return code === 'rate_limited' || code === 'unavailable' || code === 'network' || code === 'timeout'
}
