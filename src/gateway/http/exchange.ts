import { randomUUID } from 'node:crypto'
import type { Admission, Client } from '#gateway/admission/admission.ts'
import { hasForwardingHeader } from '#gateway/admission/sockets.ts'
import type { HttpRequest, HttpResponse } from '#gateway/uWebSockets.ts'
import type { CacheControl } from '#resources/resource.ts'
import { type Answer, entityTag, type HeaderField, noneMatchNames } from './answer.ts'
import { type Problem, problem, problemBody, problemStatus } from './problem.ts'

/** A request id of the client or a proxy is kept if it is safe in a header and a log. */
const SANE_REQUEST_ID = /^[\w.:+/=-]{1,128}$/

/** One request and its response. The request is copied, because uWebSockets' object is invalid after the first await. */
export interface Exchange {
  readonly method: string
  /** Path and query are still percent-encoded. */
  readonly path: string
  readonly query: string
  readonly origin: string
  readonly ifNoneMatch: string
  readonly acceptEncoding: string
  readonly authorization: string
  readonly host: string
  readonly lastEventId: string
  /** The header names that a preflight asks for. */
  readonly requestedHeaders: string
  readonly client: Client
  readonly requestId: string
  /** The headers of every answer to this request. Those of the rate limit are added later. */
  readonly headers: HeaderField[]
  readonly res: HttpResponse
  /** Whether the connection has to be closed after the answer. */
  readonly closes: boolean
  /** The problem of a request that a proxy in front may read differently; `null`: there is none. */
  readonly ambiguity: Problem | null
  /** Call it before the first await. */
  isForwarded(): boolean
  /** The value of a header; `''`: absent. Call it before the first await. */
  header(lowerCaseName: string): string
  /** Call it before the first await. */
  body(maxBytes: number): Promise<RequestBody>
  /** Whether the client has gone, so that `res` must not be used any more. */
  isAborted(): boolean
  /** Calls the listener once when the client goes, at once if it has gone. `res.onAborted` would replace the other listeners. */
  onAborted(listener: () => void): void
}

/** Call it before the first await. */
export function openExchange(res: HttpResponse, req: HttpRequest, admission: Admission): Exchange {
  let aborted = false
  const listeners: (() => void)[] = []
  res.onAborted(() => {
    aborted = true
    for (const listener of listeners) listener()
  })
  const givenId = req.getHeader('x-request-id')
  const requestId = SANE_REQUEST_ID.test(givenId) ? givenId : randomUUID()
  const origin = req.getHeader('origin')
  const client = admission.client(res, req)
  const method = req.getCaseSensitiveMethod()
  const mayRead = method === 'OPTIONS' ? admission.preflightAllowed(origin) : admission.originAllowed(origin, client.key)
  const ambiguity = ambiguityOf(req)
  const closes = admission.sockets.requested(client.address) || ambiguity !== null
  const onAborted = (listener: () => void) => {
    if (aborted) listener()
    else listeners.push(listener)
  }
  return {
    method,
    path: req.getUrl(),
    query: req.getQuery() ?? '',
    origin,
    ifNoneMatch: req.getHeader('if-none-match'),
    acceptEncoding: req.getHeader('accept-encoding'),
    authorization: req.getHeader('authorization'),
    host: req.getHeader('host'),
    lastEventId: req.getHeader('last-event-id'),
    requestedHeaders: req.getHeader('access-control-request-headers'),
    client,
    requestId,
    headers: [...commonHeaders(requestId, admission.allowsAllOrigins && client.keyIn === 'nowhere' ? '*' : mayRead ? origin : '')],
    res,
    closes,
    ambiguity,
    isForwarded: () => hasForwardingHeader(req),
    isAborted: () => aborted,
    header: name => req.getHeader(name),
    body: maxBytes => readRequestBody(res, onAborted, maxBytes),
    onAborted,
  }
}

/** Headers of answers, which are no pages: browsers must not sniff them into one, run anything in them or frame them. */
const SECURITY_HEADERS: readonly HeaderField[] = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Referrer-Policy', 'no-referrer'],
]

const OWN_FILES = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
]

/**
 * The policy of pages, in place of the one above. A page may load its own scripts, styles and images, and connect to its own origin
 * (`'self'` includes ws: and wss:). Inline scripts, `eval`, markup made of strings, forms, frames and other origins are forbidden.
 */
export const PAGE_POLICY: HeaderField = [
  'Content-Security-Policy',
  [...OWN_FILES, "img-src 'self'", "require-trusted-types-for 'script'", "trusted-types 'none'"].join('; '),
]

/** The policy of `/docs`, whose renderer has its icons in its style, and makes markup of the descriptions' text, which it cleans. */
export const DOCS_POLICY: HeaderField = ['Content-Security-Policy', [...OWN_FILES, "img-src 'self' data:"].join('; ')]

const EXPOSED_HEADERS = 'ETag, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, X-Request-Id'

/**
 * The headers of every answer. A page of an origin that is not allowed gets the same answer without the CORS headers, and its browser
 * withholds it: the data is public, and the request is valid. Preflights, event streams and WebSocket upgrades of such a page are refused
 * instead.
 *
 * @param reader the origin that may read; `*`: all may, whatever the request says; `''`: no page
 */
function commonHeaders(requestId: string, reader: string): readonly HeaderField[] {
  const vary = reader === '*' ? 'Accept-Encoding' : 'Origin, Accept-Encoding'
  const headers: HeaderField[] = [['X-Request-Id', requestId], ...SECURITY_HEADERS, ['Vary', vary]]
  if (reader === '') return headers
  return [...headers, ['Access-Control-Allow-Origin', reader], ['Access-Control-Expose-Headers', EXPOSED_HEADERS]]
}

/**
 * Whether an answer with these headers is for its client alone: it says what is left to that client, or whether its page may read it. Many
 * shared caches ignore `Vary: Origin`.
 */
function isForOneClient(headers: readonly HeaderField[]): boolean {
  return headers.some(([name, value]) => name.startsWith('RateLimit-') || (name === 'Vary' && value.includes('Origin')))
}

/** The headers of a file of the console, which only pages of its own origin load: they are the same for every client. */
function withoutOrigin(headers: readonly HeaderField[]): readonly HeaderField[] {
  return headers
    .filter(([name]) => !name.startsWith('Access-Control-'))
    .map(([name, value]) => (name === 'Vary' ? ['Vary', 'Accept-Encoding'] : [name, value]))
}

const KNOWN_HEADERS = 'Authorization, Cache-Control, Content-Type, If-None-Match, Last-Event-ID, X-Api-Key, X-Request-Id'
/** A list of header names. Any other text is not repeated in an answer. */
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~-]+(?:[ \t]*,[ \t]*[\w!#$%&'*+.^`|~-]+)*$/

/**
 * The answer to a preflight of an allowed origin. It may send any header: tracers and gateways add their own (`traceparent`, `baggage`,
 * `sentry-trace`), and the service ignores what it does not know. `*` would not cover `Authorization`.
 *
 * @param requested the names in `Access-Control-Request-Headers`; `''`: none
 * @param allowed the methods of the path
 */
export function preflightHeaders(requested: string, allowed: string): readonly HeaderField[] {
  return [
    ['Allow', allowed],
    ['Access-Control-Allow-Methods', allowed],
    ['Access-Control-Allow-Headers', HEADER_NAMES.test(requested) ? `${KNOWN_HEADERS}, ${requested}` : KNOWN_HEADERS],
    ['Access-Control-Max-Age', '7200'],
    ['Vary', 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers'],
  ]
}

/** Headers that keep proxies from compressing or buffering a stream: `no-transform` is for most, `X-Accel-Buffering` for nginx. */
export const EVENT_STREAM_HEADERS: readonly HeaderField[] = [
  ['Content-Type', 'text/event-stream'],
  ['Cache-Control', 'private, no-cache, no-transform'],
  ['X-Accel-Buffering', 'no'],
]

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

type RequestBody = { readonly kind: 'body'; readonly text: string } | { readonly kind: 'tooLong' } | { readonly kind: 'aborted' }

/**
 * Reads the body of a request as UTF-8. Call it before the first await: uWebSockets drops a body that nothing has asked for by then.
 *
 * @param maxBytes a longer body is `tooLong`, as soon as one byte more has come
 */
function readRequestBody(res: HttpResponse, onAborted: (listener: () => void) => void, maxBytes: number): Promise<RequestBody> {
  return new Promise(resolve => {
    const chunks: Buffer[] = []
    let bytes = 0
    onAborted(() => resolve({ kind: 'aborted' }))
    res.onData((chunk, isLast) => {
      bytes += chunk.byteLength
      if (bytes > maxBytes) {
        chunks.length = 0
        resolve({ kind: 'tooLong' })
        return
      }
      // The chunk is valid only during this call.
      chunks.push(Buffer.from(new Uint8Array(chunk)))
      if (isLast) resolve({ kind: 'body', text: Buffer.concat(chunks).toString('utf8') })
    })
  })
}

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

/** The value of `Cache-Control`. @param isForOneClient whether caches that several clients share must not keep the answer */
export function cacheControlOf(kept: CacheControl, isForOneClient: boolean): string {
  return kept === 'never' ? CACHE_CONTROL.never : `${isForOneClient ? 'private' : 'public'}, ${CACHE_CONTROL[kept]}`
}

export const CACHE_CONTROL: Readonly<Record<CacheControl, string>> = {
  revalidate: 'no-cache',
  seconds: 'max-age=5',
  never: 'no-store',
  forever: 'max-age=31536000, immutable',
}
