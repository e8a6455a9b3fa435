import { type Answer, entityTag, type HeaderField, noneMatchNames } from './answer.ts'
import type { Exchange } from './exchange.ts'
import { type Problem, problemBody, problemStatus } from './problem.ts'
import type { CacheControl } from './route.ts'
import { CACHE_CONTROL } from './route.ts'

/** A response down to its bytes. `contentLength` is `null` where HTTP wants none. */
export interface Rendered {
  readonly status: string
  readonly headers: readonly HeaderField[]
  readonly contentLength: number | null
  /** `null` for HEAD, 204, 304 and the head of an event stream. */
  readonly body: Buffer | null
}

/**
 * Turns an answer or a problem into what is sent. A 200 with a body gets an entity tag and becomes a 304 when the request has it; HEAD gets the headers
 * of GET, its length included. A header of the answer's own takes the place of what every answer carries.
 */
export function render(outcome: Answer | Problem, exchange: Exchange, cacheControl: CacheControl): Rendered {
  const isHead = exchange.method === 'HEAD'
  if (outcome.kind === 'problem') {
    const body = Buffer.from(problemBody(outcome, exchange.requestId))
    const headers = [
      ...exchange.headers,
      ['Content-Type', 'application/problem+json'],
      ['Cache-Control', 'no-store'],
      ...outcome.headers,
    ] as const
    return { status: problemStatus(outcome), headers, contentLength: body.length, body: isHead ? null : body }
  }
  const common = exchange.headers.filter(([name]) => !outcome.headers.some(([own]) => own === name))
  const headers: HeaderField[] = [...common, ['Cache-Control', CACHE_CONTROL[cacheControl]], ...outcome.headers]
  if (outcome.body === null) return { status: outcome.status, headers, contentLength: null, body: null }
  if (outcome.status === '200 OK') {
    const tag = outcome.tag ?? entityTag(outcome.body)
    headers.push(['ETag', tag])
    if (noneMatchNames(exchange.ifNoneMatch, tag)) return { status: '304 Not Modified', headers, contentLength: null, body: null }
  }
  const body = typeof outcome.body === 'string' ? Buffer.from(outcome.body) : outcome.body
  return { status: outcome.status, headers, contentLength: body.length, body: isHead ? null : body }
}

/**
 * Sends it. `onDone` is called when the last byte is with the kernel, which for a slow reader is later; when the client goes before
 * that, the exchange's `onAborted` is.
 */
export function send({ status, headers, contentLength, body }: Rendered, { res }: Exchange, onDone: () => void): void {
  res.cork(() => {
    res.writeStatus(status)
    for (const [name, value] of headers) res.writeHeader(name, value)
    if (body === null) {
      // Not `endWithoutBody(contentLength)`: after it uWebSockets takes the answer for unfinished and drops the connection at the next request.
      if (contentLength !== null) res.writeHeader('Content-Length', String(contentLength))
      res.endWithoutBody()
      onDone()
      return
    }
    const [, finished] = res.tryEnd(body, body.length)
    if (finished) {
      onDone()
      return
    }
    res.onWritable(offset => {
      const [accepted, finished] = res.tryEnd(body.subarray(offset), body.length)
      if (finished) onDone()
      return accepted
    })
  })
}
