import { randomUUID } from 'node:crypto'
import type { Admission } from '#gateway/admission/admission.ts'
import type { Client } from '#gateway/admission/client.ts'
import { hasForwardingHeader } from '#gateway/admission/forwardingHeaders.ts'
import type { HttpRequest, HttpResponse } from '#gateway/uWebSockets.ts'
import { ambiguityOf } from './ambiguity.ts'
import type { HeaderField } from './answer.ts'
import { commonHeaders } from './headers.ts'
import type { Problem } from './problem.ts'
import { type RequestBody, readRequestBody } from './requestBody.ts'

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
