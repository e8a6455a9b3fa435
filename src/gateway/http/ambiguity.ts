import type { HttpRequest } from '#gateway/uWebSockets.ts'
import { type Problem, problem } from './problem.ts'

/**
 * The problem of an ambiguous request; `null`: it is not ambiguous. uWebSockets reads the first of two `Content-Length` or `Host` headers,
 * and no body for a `Transfer-Encoding` other than `chunked`. A proxy that reads such a request differently would take its rest for another
 * client's request.
 */
export function ambiguityOf(req: HttpRequest): Problem | null {
  let hosts = 0
  let lengths = 0
  let isForeign = false
  req.forEach((name, value) => {
    if (name === 'host') hosts++
    else if (name === 'content-length') lengths++
    else if (name === 'transfer-encoding' && value.toLowerCase() !== 'chunked') isForeign = true
  })
  if (hosts !== 1) return invalidRequest('a request must have one Host header')
  if (lengths > 1) return invalidRequest('a request may have one Content-Length header')
  return isForeign ? invalidRequest('the only Transfer-Encoding is chunked') : null
}

function invalidRequest(detail: string): Problem {
  return problem(400, 'invalid_request', detail)
}
