import { type Answer, errorOf, isRetryable, readAnswer } from './answer.ts'
import { backoffMs } from './backoff.ts'
import type { Timers } from './clock.ts'
import type { RestCall } from './restCall.ts'
import type { Result } from './result.ts'
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
  readonly #waiting: (() => void)[] = []

  constructor(options: RestOptions) {
    this.#options = options
  }

  /** How long the server wants to be left alone, in ms. */
  get pauseMs(): number {
    return Math.max(0, this.#notBefore - this.#options.timers.now())
  }

  /** The server asked, in an answer that did not come through here, to be left alone for so long. */
  pause(ms: number): void {
    this.#notBefore = Math.max(this.#notBefore, this.#options.timers.now() + ms)
  }

  async get<T>(call: RestCall<T>): Promise<Result<T>> {
    const { random, retries: usual } = this.#options
    const retries = call.options?.retries ?? usual
    for (let attempt = 0; ; attempt++) {
      const ended = this.#ended(call)
      if (ended !== null) return { ok: false, error: ended }
      if (this.pauseMs > LONGEST_WAIT_MS) return { ok: false, error: pausedError(this.pauseMs) }
      if (this.pauseMs > 0) {
        // A little later than asked, so that not all that wait come at the same moment.
        await this.#sleep(this.pauseMs + random() * 250, call.options?.signal)
        attempt--
        continue
      }
      const answer = await this.#attempt(call)
      if (answer.kind === 'value') return { ok: true, value: answer.value }
      const error = this.#ended(call) ?? errorOf(answer)
      if (error.retryAfterMs !== null) this.pause(error.retryAfterMs)
      if (!isRetryable(error) || attempt >= retries) return { ok: false, error }
      if (error.retryAfterMs === null) await this.#sleep(backoffMs(attempt, random), call.options?.signal)
    }
  }

  /** Why the call is over whatever the server says; `null`: it is not. */
  #ended({ options }: RestCall<unknown>): TokenwireError | null {
    if (this.#options.closed.aborted) return new TokenwireError('closed', 'the client is closed')
    if (options?.signal?.aborted) return new TokenwireError('aborted', 'the call was aborted', { cause: options.signal.reason })
    return null
  }

  async #attempt<T>(call: RestCall<T>): Promise<Answer<T>> {
    if (this.#inFlight >= CONCURRENT) await new Promise<void>(resolve => this.#waiting.push(resolve))
    this.#inFlight++
    try {
      return await this.#fetch(call)
    } finally {
      this.#inFlight--
      this.#waiting.shift()?.()
    }
  }

  async #fetch<T>(call: RestCall<T>): Promise<Answer<T>> {
    const { base, fetch, timers, timeoutMs, closed } = this.#options
    const { signal, operatorToken } = call.options ?? {}
    const aborter = new AbortController()
    const abort = () => aborter.abort()
    let timedOut = false
    const cancel = timers.after(call.options?.timeoutMs ?? timeoutMs, () => {
      timedOut = true
      abort()
    })
    signal?.addEventListener('abort', abort)
    closed.addEventListener('abort', abort)
    if (signal?.aborted || closed.aborted) abort()
    try {
      const headers = { accept: 'application/json', ...(operatorToken === undefined ? {} : { authorization: `Bearer ${operatorToken}` }) }
      return await readAnswer(await fetch(base + call.path + queryText(call.query), { headers, signal: aborter.signal }), call)
    } catch (cause) {
      return { kind: timedOut ? 'timeout' : 'network', cause }
    } finally {
      cancel()
      signal?.removeEventListener('abort', abort)
      closed.removeEventListener('abort', abort)
    }
  }

  /** Resolves when the time is over, or at once when the call or the client has ended. */
  #sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const { timers, closed } = this.#options
    return new Promise(resolve => {
      const wake = () => {
        cancel()
        signal?.removeEventListener('abort', wake)
        closed.removeEventListener('abort', wake)
        resolve()
      }
      const cancel = timers.after(ms, wake)
      signal?.addEventListener('abort', wake)
      closed.addEventListener('abort', wake)
    })
  }
}

function pausedError(ms: number): TokenwireError {
  return new TokenwireError('rate_limited', `the server asked to wait ${Math.ceil(ms / 1_000)} s`, { retryAfterMs: ms })
}

function queryText(query: RestCall<unknown>['query'] = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}
