import { parseRetryAfter } from '#async/retryAfter.ts'
import type { ClientErrorCode, ProblemDetails } from '#client/clientError.ts'
import { failed, type Result } from '#client/result.ts'
import { mismatch, object, parseJson, pattern, type Shape, string, whole } from './shape.ts'

/** A longer pause is cut to this, so that no header can silence the client for good. */
const MAX_RETRY_AFTER_MS = 3_600_000

const problemShape: Shape<ProblemDetails> = object({
  type: string,
  title: string,
  status: whole(400),
  detail: string,
  code: pattern(/^[a-z][a-z0-9_]*$/),
  requestId: string,
})

/** Rejects when the connection breaks before the end. `alsoStatus`: a status besides 200 whose body has the shape. */
export async function readResponse<T>(response: Response, shape: Shape<T>, alsoStatus?: number): Promise<Result<T>> {
  const { status } = response
  const body = parseJson(await response.text())
  const path = mismatch(shape, body)
  if (path === null && (status === 200 || status === alsoStatus)) return { ok: true, value: body as T }
  if (status < 400) {
    const at = status === 200 ? (path ?? '') : ''
    return failed('invalid_answer', `the answer has another shape at "${at}"`, { status, path: at })
  }
  const problem = mismatch(problemShape, body) === null ? (body as ProblemDetails) : null
  const message = problem?.detail ?? `the server answered ${status}`
  return failed(codeOf(status), message, { status, problem, retryAfterMs: retryAfterMs(response.headers) })
}

/** How long the server asks to wait, in ms from now; `null` when it does not ask. */
export function retryAfterMs(headers: Headers): number | null {
  const askedMs = parseRetryAfter(headers.get('retry-after'), Date.now())
  return askedMs === null ? null : Math.min(askedMs, MAX_RETRY_AFTER_MS)
}

function codeOf(status: number): ClientErrorCode {
  if (status === 404) return 'not_found'
  if (status === 429) return 'rate_limited'
  return status >= 500 ? 'unavailable' : 'rejected'
}
