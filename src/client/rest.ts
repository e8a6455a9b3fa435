import { type Answer, errorOf, isRetryable, readAnswer } from './answer.ts'
import { backoffMs } from './backoff.ts'
import type { Timers } from './clock.ts'
import type { RestCall } from './restCall.ts'
import type { Result } from './result.ts'
import type { CallOptions } from './tokenwire.ts'
import { TokenwireError } from './tokenwireError.ts'

/** A longer pause than this is not waited for: the caller is told and decides. */
const LONGEST_WAIT_MS = 10_000

/** Requests in flight, so that a flood of calls is not one of requests. */
const CONCURRENT = 6

export interface RestOptions {
  /** Without a slash at the end. */
  readonly base: string
  readonly fetch: typeof globalThis.fetch
  readonly timers: Timers
  readonly random: () => number
  readonly timeoutMs: number
  readonly retries: number
  /** Aborted when the client is closed. */
  readonly closed: AbortSignal
}

/**
 * GET requests whose failures are values. Waits as long as the server asks and tries again after growing pauses; while the server asks one
 * call to wait, all wait.
 */
export class Rest {
  readonly #options: RestOptions
  /** No request before this time of the clock. */
  #notBefore = 0
  #inFlight = 0
  readonly #waiting = new Set<() => void>()

  constructor(options: RestOptions) {
    this.#options = options
  }

  /** However a call ends, the next one in line has its turn: also when this one ended without a request. */
  async get<T>(call: RestCall<T>): Promise<Result<T>> {
    try {
      return await this.#get(call)
    } finally {
      this.#next()
    }
  }

  async #get<T>(call: RestCall<T>): Promise<Result<T>> {
    const { timers, random } = this.#options
    const { signal, retries = this.#options.retries } = call.options ?? {}
    for (let attempt = 0; ; ) {
      const ended = this.#ended(call.options)
      if (ended !== null) return { ok: false, error: ended }
      const pauseMs = this.#notBefore - timers.now()
      if (pauseMs > LONGEST_WAIT_MS) {
        return { ok: false, error: new TokenwireError('rate_limited', 'the server asked to wait', { retryAfterMs: pauseMs }) }
      }
      if (pauseMs > 0) {
        // A little later than asked, so that not all that wait come at the same moment.
        await this.#sleep(pauseMs + random() * 250, signal)
        continue
      }
      if (this.#inFlight >= CONCURRENT) {
        await this.#turn(signal)
        continue
      }
      const answer = await this.#attempt(call)
      if (answer.kind === 'value') return { ok: true, value: answer.value }
      const error = this.#ended(call.options) ?? errorOf(answer)
      const { code, retryAfterMs } = error
      // A server that asks for no pause at all is not hammered either.
      const waitMs = Math.max(retryAfterMs ?? 0, backoffMs(attempt, random, 500, LONGEST_WAIT_MS))
      // Too many requests are about all of them. What one route can't answer, such as a price that nobody gives, says nothing about the others.
      const isForAll = code === 'rate_limited' && retryAfterMs !== null
      if (isForAll) this.#notBefore = Math.max(this.#notBefore, timers.now() + waitMs)
      if (!isRetryable(error) || attempt >= retries || waitMs > LONGEST_WAIT_MS) return { ok: false, error }
      if (!isForAll) await this.#sleep(waitMs, signal)
      attempt++
    }
  }

  /** Why the call is over whatever the server says; `null`: it is not. */
  #ended(options: CallOptions | undefined): TokenwireError | null {
    if (this.#options.closed.aborted) return new TokenwireError('closed', 'the client is closed')
    if (options?.signal?.aborted) return new TokenwireError('aborted', 'the call is aborted', { cause: options.signal.reason })
    return null
  }

  async #attempt<T>(call: RestCall<T>): Promise<Answer<T>> {
    const { base, fetch, timers, closed } = this.#options
    const { signal, operatorToken, timeoutMs = this.#options.timeoutMs } = call.options ?? {}
    const aborter = new AbortController()
    let timedOut = false
    const cancel = timers.after(timeoutMs, () => {
      timedOut = true
      aborter.abort()
    })
    const unhear = onAbort([signal, closed], () => aborter.abort())
    this.#inFlight++
    try {
      const headers = { accept: 'application/json', ...(operatorToken === undefined ? {} : { authorization: `Bearer ${operatorToken}` }) }
      return await readAnswer(await fetch(base + call.path + queryText(call.query), { headers, signal: aborter.signal }), call)
    } catch (cause) {
      return { kind: timedOut ? 'timeout' : 'network', cause }
    } finally {
      this.#inFlight--
      this.#next()
      cancel()
      unhear()
    }
  }

  #next(): void {
    for (const wake of this.#waiting) {
      wake()
      break
    }
  }

  /** Resolves when the time is over, or at once when the call or the client has ended. */
  #sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return this.#until(signal, wake => this.#options.timers.after(ms, wake))
  }

  /** Resolves when a request has ended, in the order of those that wait. */
  #turn(signal: AbortSignal | undefined): Promise<void> {
    return this.#until(signal, wake => {
      this.#waiting.add(wake)
      return () => this.#waiting.delete(wake)
    })
  }

  #until(signal: AbortSignal | undefined, begin: (wake: () => void) => () => void): Promise<void> {
    return new Promise(resolve => {
      const wake = () => {
        stop()
        unhear()
        resolve()
      }
      const stop = begin(wake)
      const unhear = onAbort([signal, this.#options.closed], wake)
    })
  }
}

/** Returns how to stop listening. */
function onAbort(signals: readonly (AbortSignal | undefined)[], run: () => void): () => void {
  const over = new AbortController()
  for (const signal of signals) signal?.addEventListener('abort', run, { signal: over.signal })
  return () => over.abort()
}

function queryText(query: RestCall<unknown>['query'] = {}): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value))
  const text = String(parameters)
  return text && `?${text}`
}
