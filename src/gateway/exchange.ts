import type { Admission } from './admission.ts'
import type { HeaderField } from './answer.ts'
import { hasForwardingHeader } from './forwardingHeaders.ts'
import { commonHeaders } from './headers.ts'
import type { HttpRequest, HttpResponse } from './uWebSockets.ts'

/** A request id of the client's own (a proxy's, a caller's trace) is kept when it can do no harm in a header or a log. */
const SANE_REQUEST_ID = /^[\w.:+/=-]{1,128}$/

/** One request and the way to answer it. Everything that handlers may know of the request is copied: uWebSockets' own object dies at the first await. */
export interface Exchange {
  readonly method: string
  /** As sent: still percent-encoded. */
  readonly path: string
  /** Without `?`, still percent-encoded. */
  readonly query: string
  readonly origin: string
  readonly ifNoneMatch: string
  readonly acceptEncoding: string
  readonly authorization: string
  readonly host: string
  readonly lastEventId: string
  readonly clientAddress: string
  readonly requestId: string
  /** What every answer to this request carries; the rate limit's part is added when it is known. */
  readonly headers: HeaderField[]
  readonly res: HttpResponse
  /** Whether something between says that it forwards for somebody. To be called before anything is awaited. */
  isForwarded(): boolean
  /** True once the client is gone: `res` may not be touched any more. */
  isAborted(): boolean
  /** Calls the listener once when the client goes, at once when it is gone. */
  onAborted(listener: () => void): void
}

/** To be called before anything is awaited. */
export function openExchange(res: HttpResponse, req: HttpRequest, admission: Admission, createRequestId: () => string): Exchange {
  let aborted = false
  const listeners: (() => void)[] = []
  res.onAborted(() => {
    aborted = true
    for (const listener of listeners) listener()
  })
  const givenId = req.getHeader('x-request-id')
  const requestId = SANE_REQUEST_ID.test(givenId) ? givenId : createRequestId()
  const origin = req.getHeader('origin')
  return {
    method: req.getCaseSensitiveMethod(),
    path: req.getUrl(),
    query: req.getQuery() ?? '',
    origin,
    ifNoneMatch: req.getHeader('if-none-match'),
    acceptEncoding: req.getHeader('accept-encoding'),
    authorization: req.getHeader('authorization'),
    host: req.getHeader('host'),
    lastEventId: req.getHeader('last-event-id'),
    clientAddress: admission.clientAddress(res, req),
    requestId,
    headers: [...commonHeaders(requestId, origin, admission)],
    res,
    isForwarded: () => hasForwardingHeader(req),
    isAborted: () => aborted,
    onAborted(listener) {
      if (aborted) listener()
      else listeners.push(listener)
    },
  }
}
