import { parseRetryAfter } from '#async/retryAfter.ts'
import { ClientError, type ClientErrorCode, failed, type Result } from '#client/clientError.ts'
import type { ClientContext } from '#client/context.ts'
import { type AbortSignalLike, onAbort } from '#client/ending.ts'
import { problemShape } from '#client/generated/shapes.ts'
import type { Problem } from '#client/generated/types.ts'
import { backoffMs } from '#client/timers.ts'
import type { CallOptions, OperatorOptions } from './calls.ts'
import { encoded, queryText } from './queryText.ts'
import { type AnyShape, mismatch, parseJson, type Shape } from './shape.ts'

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
    let giveUp = () => {}
    // React Native's `fetch` may go on after an abort, or wait for ever.
    const givenUp = new Promise<never>((_, reject) => {
      giveUp = () => {
        aborter.abort()
        reject(new Error('the request is given up'))
      }
    })
    const cancelTimeout = timers.after(timeoutMs, () => {
      isTimeout = true
      giveUp()
    })
    const stopListening = onAbort([signal, closed], giveUp)
    const request = { endsBy: timers.now() + timeoutMs }
    inFlight.add(request)
    const ask = async () => {
      const headers = { accept: 'application/json', ...(operatorToken === undefined ? {} : { authorization: `Bearer ${operatorToken}` }) }
      const request: RequestInit & NextOptions = { headers, signal: aborter.signal, next: { revalidate: 0 } }
      const response = await fetch(base + path + queryText(query), request)
      return await readResponse(response, shape, alsoStatus)
    }
    try {
      return await Promise.race([ask(), givenUp])
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

/** A longer pause is cut to this, so that no header can silence the client for good. */
const MAX_RETRY_AFTER_MS = 3_600_000

/** Rejects when the connection breaks before the end. `alsoStatus`: a status besides 200 whose body has the shape. */
async function readResponse<T>(response: Response, shape: Shape<T>, alsoStatus?: number): Promise<Result<T>> {
  const { status } = response
  const body = parseJson(await response.text())
  const path = mismatch(shape, body)
  if (path === null && (status === 200 || status === alsoStatus)) return { ok: true, value: body as T }
  if (status < 400) {
    const at = status === 200 ? (path ?? '') : ''
    return failed('invalid_answer', `the answer has another shape at "${at}"`, { status, path: at })
  }
  const problem = mismatch(problemShape, body) === null ? (body as Problem) : null
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

/** A path names the required parameters, in the order of the method's arguments: `:name` is a segment, `?name` belongs to the query. */
export type RestMethod = readonly [path: string, shape: AnyShape, hasQuery?: boolean, alsoStatus?: number]

/** Each method takes its required parameters, then, if it has others, a query, then options. */
export function createRestApi<Api>(methods: Readonly<Record<keyof Api, RestMethod>>, rest: Rest): Api {
  const method =
    ([template, shape, hasQuery, alsoStatus]: RestMethod) =>
    (...given: unknown[]) => {
      const named: Record<string, unknown> = {}
      const path = template.replace(/[:?](\w+)/g, (part, name: string) => {
        const value = given.shift()
        if (part.startsWith(':')) return encoded(value)
        named[name] = value
        return ''
      })
      const query = { ...named, ...(hasQuery && (given.shift() as object | undefined)) }
      return rest({ path, query, shape, options: given[0] as OperatorOptions, alsoStatus })
    }
  return Object.fromEntries(Object.entries<RestMethod>(methods).map(([name, described]) => [name, method(described)])) as Api
}
