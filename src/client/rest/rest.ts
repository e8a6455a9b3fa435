import { backoffMs } from '#client/backoff.ts'
import { ClientError, type ClientErrorCode } from '#client/clientError.ts'
import type { ClientContext } from '#client/context.ts'
import { failed, type Result } from '#client/result.ts'
import type { CallOptions, OperatorOptions } from './calls.ts'
import { readResponse } from './readResponse.ts'
import type { Shape } from './shape.ts'

/** The client does not wait longer than this before an attempt: the call fails and its caller decides. */
const MAX_WAIT_MS = 10_000

const MAX_IN_FLIGHT = 6

const RETRYABLE: ReadonlySet<ClientErrorCode> = new Set(['rate_limited', 'unavailable', 'network', 'timeout'])

export interface RestCall<T> {
  readonly path: string
  readonly query?: object | undefined
  readonly shape: Shape<T>
  readonly options?: OperatorOptions | undefined
  readonly alsoStatus?: number | undefined
}

/** Makes one call: its failures are values. All calls of a client share their pauses and their limit of requests in flight. */
export type Rest = <T>(call: RestCall<T>) => Promise<Result<T>>

/** Failures are values. Retries with growing pauses; a pause that the server asks of one call holds back all. */
export function createRest(context: ClientContext): Rest {
  const { base, fetch, timers, random, closed } = context
  /** No request is sent before this time of the clock. */
  let notBefore = 0
  let inFlight = 0
  const line = new Set<() => void>()

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
      if (inFlight >= MAX_IN_FLIGHT) {
        await waitForTurn(signal)
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
    inFlight++
    try {
      const headers = { accept: 'application/json', ...(operatorToken === undefined ? {} : { authorization: `Bearer ${operatorToken}` }) }
      const response = await fetch(base + path + queryText(query), { headers, signal: aborter.signal })
      return await readResponse(response, shape, alsoStatus)
    } catch (cause) {
      return failed(isTimeout ? 'timeout' : 'network', 'no answer arrived', { cause })
    } finally {
      inFlight--
      wakeNext()
      cancelTimeout()
      stopListening()
    }
  }

  function wakeNext(): void {
    const [wake] = line
    wake?.()
  }

  const sleep = (ms: number, signal: AbortSignal | undefined) => until(signal, wake => timers.after(ms, wake))

  const waitForTurn = (signal: AbortSignal | undefined) =>
    until(signal, wake => {
      line.add(wake)
      return () => line.delete(wake)
    })

  /** Resolves when `begin` wakes it, or at once when the call or the client ends. */
  function until(signal: AbortSignal | undefined, begin: (wake: () => void) => () => void): Promise<void> {
    return new Promise(resolve => {
      const wake = () => {
        stop()
        stopListening()
        resolve()
      }
      const stop = begin(wake)
      const stopListening = onAbort([signal, closed], wake)
    })
  }

  // The next in line is woken however a call ends, also when it never sent a request.
  return call => callUntilDone(call).finally(wakeNext)
}

function onAbort(signals: readonly (AbortSignal | undefined)[], run: () => void): () => void {
  const over = new AbortController()
  for (const signal of signals) signal?.addEventListener('abort', run, { signal: over.signal })
  return () => over.abort()
}

/** Lists become comma lists; parameters that are `undefined` are left out. */
export function queryText(query: object = {}): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value))
  const text = String(parameters)
  return text && `?${text}`
}
