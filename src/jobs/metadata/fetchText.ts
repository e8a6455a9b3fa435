import type { IncomingMessage } from 'node:http'
import { parseRetryAfter } from '#async/retryAfter.ts'
import { isCreatorUrl } from './creatorUrl.ts'
import type { Location } from './gateways.ts'
import { type GetTarget, httpGet } from './httpGet.ts'
import type { Outbound } from './outbound.ts'
import { type Failure, failure } from './problem.ts'
import { type Fetched, readBody } from './readBody.ts'
import { redirected } from './redirected.ts'

export interface FetchOptions {
  readonly outbound: Outbound
  readonly allowHttp: boolean
  readonly signal: AbortSignal
}

const RATE_LIMIT_MS = 60_000
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * Gets a small text from one place, within all limits. Every address on the way, that of the first request and of each redirect, is checked; a
 * gateway's trust reaches as far as its own host, port and scheme. Never rejects.
 */
export async function fetchText(location: Location, options: FetchOptions): Promise<Fetched> {
  const { signal, outbound } = options
  const ender = new AbortController()
  const end = () => ender.abort()
  if (signal.aborted) end()
  signal.addEventListener('abort', end)
  const timer = setTimeout(end, outbound.limits.wholeMs)
  try {
    return await follow(location, options, ender.signal)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}

async function follow({ url, gateway }: Location, { outbound, allowHttp }: FetchOptions, deadline: AbortSignal): Promise<Fetched> {
  const { limits, ports } = outbound
  let target: GetTarget = { url, trusted: gateway !== null }
  for (let redirects = 0; redirects <= limits.mostRedirects; redirects++) {
    if (!target.trusted && !isCreatorUrl(target.url, { allowHttp, ports })) {
      return redirects === 0 ? failure('forbidden_url') : NOWHERE
    }
    const answer = await httpGet(target, outbound, deadline)
    const isRedirect = answer.ok && REDIRECTS.has(answer.response.statusCode ?? 0)
    if (!isRedirect) {
      const fetched = answer.ok ? await read(answer.response, limits.mostBytes, deadline) : answer
      return fetched.ok || redirects === 0 ? fetched : { ...fetched, elsewhere: true }
    }
    answer.response.destroy()
    const next = redirected(target, answer.response.headers.location)
    if (next === null) return NOWHERE
    target = next
  }
  return NOWHERE
}

const NOWHERE: Failure = { ...failure('forbidden_redirect'), elsewhere: true }

async function read(response: IncomingMessage, mostBytes: number, deadline: AbortSignal): Promise<Fetched> {
  const status = response.statusCode ?? 0
  if (status === 200) return readBody(response, mostBytes, deadline)
  response.destroy()
  const silence = parseRetryAfter(response.headers['retry-after'], Date.now())
  if (status === 404 || status === 410) return failure('not_found')
  if (status === 429) return failure('rate_limited', silence ?? RATE_LIMIT_MS)
  if (status >= 500 || status === 408 || status === 425) return failure('server_error', silence)
  return failure('denied')
}
