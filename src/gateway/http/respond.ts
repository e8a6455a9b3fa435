import type { CacheControl } from '#resources/resource.ts'
import { type Answer, entityTag, type HeaderField, noneMatchNames } from './answer.ts'
import type { Exchange } from './exchange.ts'
import { isForOneClient, withoutOrigin } from './headers.ts'
import { type Problem, problemBody, problemStatus } from './problem.ts'
import { cacheControlOf } from './route.ts'

/** An answer in the form in which it is sent. `contentLength`: `null` where HTTP allows none. */
export interface Rendered {
  readonly status: string
  readonly headers: readonly HeaderField[]
  readonly contentLength: number | null
  readonly body: Buffer | null
}

/**
 * A 200 with a body gets an entity tag unless it answers a POST, and becomes a 304 when the request names it. HEAD gets the headers of
 * GET, including its length. The answer's own headers replace the common ones.
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
  const base = cacheControl === 'forever' ? withoutOrigin(exchange.headers) : exchange.headers
  const common: readonly HeaderField[] = [...base, ['Cache-Control', cacheControlOf(cacheControl, isForOneClient(base))]]
  const headers = [...common.filter(([name]) => !outcome.headers.some(([own]) => own === name)), ...outcome.headers]
  if (outcome.body === null) {
    // Without a length, the client of a redirect would wait for a body. HEAD and 204 have no body.
    const contentLength = isHead || outcome.status.startsWith('204') ? null : 0
    return { status: outcome.status, headers, contentLength, body: null }
  }
  if (outcome.status === '200 OK' && exchange.method !== 'POST') {
    const tag = outcome.tag ?? entityTag(outcome.body)
    headers.push(['ETag', tag])
    if (noneMatchNames(exchange.ifNoneMatch, tag)) return { status: '304 Not Modified', headers, contentLength: null, body: null }
  }
  const body = typeof outcome.body === 'string' ? Buffer.from(outcome.body) : outcome.body
  return { status: outcome.status, headers, contentLength: body.length, body: isHead ? null : body }
}

/** Sends a response. Calls `onDone` when the kernel has the last byte. If the client goes before, `onAborted` listeners are called. */
export function send({ status, headers, contentLength, body }: Rendered, { res, closes }: Exchange, onDone: () => void): void {
  res.cork(() => {
    res.writeStatus(status)
    for (const [name, value] of headers) res.writeHeader(name, value)
    if (body === null) {
      // With the length as an argument, uWebSockets would wait for the body. Without it, it can't close: `closes` has no effect here.
      if (contentLength !== null) res.writeHeader('Content-Length', String(contentLength))
      res.endWithoutBody()
      onDone()
      return
    }
    if (closes) {
      // uWebSockets buffers the bytes that the kernel does not take, and closes the connection when they are sent.
      res.end(body, true)
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
