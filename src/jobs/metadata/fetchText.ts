import type { IncomingMessage } from 'node:http'
import { parseRetryAfter } from '#async/retryAfter.ts'
import { isCreatorUrl } from './creatorUrl.ts'
import { type Failure, failure } from './failure.ts'
import type { Location } from './gateways.ts'
import { type GetTarget, httpGet } from './httpGet.ts'
import type { Outbound } from './outbound.ts'
import { type Fetched, readBody } from './readBody.ts'
import { redirected } from './redirected.ts'

export interface FetchOptions {
  readonly outbound: Outbound
  readonly allowHttp: boolean
  readonly signal: AbortSignal
}

const RATE_LIMIT_MS = 60_000
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Fetches a small text within all limits. The URL of the request and of each redirect is checked. Never rejects. */
export async function fetchText(location: Location, options: FetchOptions): Promise<Fetched> {
  const { signal, outbound } = options
  const controller = new AbortController()
  const abort = () => controller.abort()
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort)
  const timer = setTimeout(abort, outbound.limits.wholeMs)
  try {
    return await follow(location, options, controller.signal)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
}

async function follow({ url, gateway }: Location, { outbound, allowHttp }: FetchOptions, deadline: AbortSignal): Promise<Fetched> {
  const { limits, ports } = outbound
  let target: GetTarget = { url, trusted: gateway !== null }
  for (let redirects = 0; redirects <= limits.mostRedirects; redirects++) {
    if (!target.trusted && !isCreatorUrl(target.url, { allowHttp, ports })) {
      return redirects === 0 ? failure('forbidden_url') : FORBIDDEN_REDIRECT
    }
    const answer = await httpGet(target, outbound, deadline)
    const isRedirect = answer.ok && REDIRECTS.has(answer.response.statusCode ?? 0)
    if (!isRedirect) {
      const fetched = answer.ok ? await read(answer.response, limits.mostBytes, deadline) : answer
      return fetched.ok || redirects === 0 ? fetched : { ...fetched, afterRedirect: true }
    }
    answer.response.destroy()
    const next = redirected(target, answer.response.headers.location)
    if (next === null) return FORBIDDEN_REDIRECT
    target = next
  }
  return FORBIDDEN_REDIRECT
}

const FORBIDDEN_REDIRECT: Failure = { ...failure('forbidden_redirect'), afterRedirect: true }

async function read(response: IncomingMessage, mostBytes: number, deadline: AbortSignal): Promise<Fetched> {
  const status = response.statusCode ?? 0
  if (status === 200) return readBody(response, mostBytes, deadline)
  response.destroy()
  const retryAfterMs = parseRetryAfter(response.headers['retry-after'], Date.now())
  if (status === 404 || status === 410) return failure('not_found')
  if (status === 429) return failure('rate_limited', retryAfterMs ?? RATE_LIMIT_MS)
  if (status >= 500 || status === 408 || status === 425) return failure('server_error', retryAfterMs)
  return failure('denied')
}
