import { backoffMs } from '#client/backoff.ts'
import { ClientError, type ClientErrorCode } from '#client/clientError.ts'
import type { ClientContext } from '#client/context.ts'
import { type AbortSignalLike, onAbort } from '#client/ending.ts'
import { failed, type Result } from '#client/result.ts'
import type { CallOptions, OperatorOptions } from './calls.ts'
import { readResponse } from './readResponse.ts'
import type { Shape } from './shape.ts'

/** The client does not wait longer than this before an attempt: the call fails and its caller decides. */
const MAX_WAIT_MS = 10_000

const MAX_IN_FLIGHT = 6

const RETRYABLE: ReadonlySet<ClientErrorCode> = new Set(['rate_limited', 'unavailable', 'network', 'timeout'])

/**
 * Next.js 13 and 14 keep every answer of `fetch` unless told otherwise, and 15 renders a page once. The standard `cache` would change what
 * browsers and React Native send, and older workers of Cloudflare refuse it.
 */
interface NextOptions {
  readonly next: { readonly revalidate: 0 }
}

export interface RestCall<T> {
  readonly path: string
  readonly query?: object | undefined
  readonly shape: Shape<T>
  readonly options?: OperatorOptions | undefined
  readonly alsoStatus?: number | undefined
}

/** Makes one call: its failures are values. All calls of a client share their pauses and their limit of requests in flight. */
export type Rest = <T>(call: RestCall<T>) => Promise<Result<T>>

/**
 * Failures are values. Retries with growing pauses; a pause that the server asks of one call holds back all. Calls share numbers alone and
 * wait by their own timers: in Cloudflare's workers one request can't wake another.
 */
export function createRest(context: ClientContext): Rest {
  const { base, fetch, timers, random, closed } = context
  /** No request is sent before this time of the clock. */
  let notBefore = 0
  /** Until when each request in flight may take. A request that its platform has dropped says nothing when it ends. */
  const inFlight = new Set<{ readonly endsBy: number }>()
  let waiting = 0

  async function callUntilDone<T>(call: RestCall<T>): Promise<Result<T>> {
    const { signal, retries = context.retries } = call.options ?? {}
    for (let attempt = 0; ; ) {
      const ended = reasonToEnd(call.options)
      if (ended !== null) return { ok: false, error: ended }
      const pauseMs = notBefore - timers.now()
      if (pauseMs > MAX_WAIT_MS) return failed('rate_limited', 'the server asked to wait', { retryAfterMs: pauseMs })
      if (pauseMs > 0) {
        // Up to 250 ms later than asked, so that waiting calls do not all start at the same moment.
        await sleep(pauseMs + random() * 250, signal)
        continue
      }
      for (const request of inFlight) if (request.endsBy <= timers.now()) inFlight.delete(request)
      if (inFlight.size >= MAX_IN_FLIGHT) {
        // The more wait, the longer each: together they look about four times in a millisecond.
        await sleep(Math.min(5 + waiting++ / 4, 250), signal)
        waiting--
        continue
      }
      const result = await attemptOnce(call)
      if (result.ok) return result
      const error = reasonToEnd(call.options) ?? result.error
      const { code, retryAfterMs } = error
      // At least the back-off, also when the server asks for no pause.
      const waitMs = Math.max(retryAfterMs ?? 0, backoffMs(attempt, random, 500, MAX_WAIT_MS))
      // 429 is about all requests. An unavailable route, such as a price that no provider has, says nothing about the others.
      const holdsBackAll = code === 'rate_limited' && retryAfterMs !== null
      if (holdsBackAll) notBefore = Math.max(notBefore, timers.now() + waitMs)
      if (!RETRYABLE.has(code) || attempt >= retries || waitMs > MAX_WAIT_MS) return { ok: false, error }
      if (!holdsBackAll) await sleep(waitMs, signal)
      attempt++
    }
  }

  /** Why the call is over, whatever the server answers; `null`: it is not over. */
  function reasonToEnd(options: CallOptions | undefined): ClientError | null {
    if (closed.aborted) return new ClientError('closed', 'the client is closed')
    if (options?.signal?.aborted) return new ClientError('aborted', 'the call is aborted', { cause: options.signal.reason })
    return null
  }

  async function attemptOnce<T>({ path, query, shape, alsoStatus, options = {} }: RestCall<T>): Promise<Result<T>> {
    const { signal, operatorToken, timeoutMs = context.timeoutMs } = options
    const aborter = new AbortController()
    let isTimeout = false
    const cancelTimeout = timers.after(timeoutMs, () => {
      isTimeout = true
      aborter.abort()
    })
    const stopListening = onAbort([signal, closed], () => aborter.abort())
    const request = { endsBy: timers.now() + timeoutMs }
    inFlight.add(request)
    try {
      const headers = { accept: 'application/json', ...(operatorToken === undefined ? {} : { authorization: `Bearer ${operatorToken}` }) }
      const request: RequestInit & NextOptions = { headers, signal: aborter.signal, next: { revalidate: 0 } }
      const response = await fetch(base + path + queryText(query), request)
      return await readResponse(response, shape, alsoStatus)
    } catch (cause) {
      return failed(isTimeout ? 'timeout' : 'network', 'no answer arrived', { cause })
    } finally {
      inFlight.delete(request)
      cancelTimeout()
      stopListening()
    }
  }

  /** Resolves after the pause, or at once when the call or the client ends. */
  function sleep(ms: number, signal: AbortSignalLike | undefined): Promise<void> {
    return new Promise(resolve => {
      const wake = () => {
        cancel()
        stopListening()
        resolve()
      }
      const cancel = timers.after(ms, wake)
      const stopListening = onAbort([signal, closed], wake)
    })
  }

  return callUntilDone
}

/** Lists become comma lists; parameters that are `undefined` are left out. */
export function queryText(query: object = {}): string {
  const parameters = Object.entries(query).filter(([, value]) => value !== undefined)
  return parameters.map(([name, value], index) => `${index === 0 ? '?' : '&'}${name}=${encoded(value)}`).join('')
}

/** As `URLSearchParams` does, which React Native has in part: half of a pair of surrogates becomes a replacement character. */
export function encoded(value: unknown): string {
  return encodeURIComponent(String(value).replace(/[\ud800-\udfff]/gu, '\ufffd'))
}
