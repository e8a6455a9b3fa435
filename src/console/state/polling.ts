import { type ReadonlySignal, signal } from '@preact/signals'
import { coalesce } from '#async/coalesce.ts'
import type { ClientErrorCode, Result } from '#client/clientError.ts'

/** Why a request failed. */
export interface PollFailure {
  readonly code: ClientErrorCode
  readonly message: string
  /** When the next request is sent, Unix ms. */
  readonly againAtMs: number
}

/** The state of a poll: the newest value, and whether the last request failed. */
export interface Polled<T> {
  readonly value: T | null
  /** `null` when the last request succeeded or none has ended yet. */
  readonly failure: PollFailure | null
  /** When `value` arrived, Unix ms. */
  readonly atMs: number | null
}

export interface Poll<T> {
  readonly state: ReadonlySignal<Polled<T>>
  /** Sends a request now. */
  refresh(): void
  stop(): void
}

export interface PollOptions<T> {
  readonly everyMs: number
  readonly ask: (signal: AbortSignal) => Promise<Result<T>>
  /** Age from which a value is dropped when a request fails. Default: never. */
  readonly keepMs?: number
}

/**
 * Sends a request now, then periodically, a tenth more or less, one at a time, and not before the service allows it. A hidden page
 * pauses, and asks at once when it is visible again.
 */
export function poll<T>({ everyMs, ask, keepMs = Number.POSITIVE_INFINITY }: PollOptions<T>): Poll<T> {
  const state = signal<Polled<T>>({ value: null, failure: null, atMs: null })
  const ending = new AbortController()
  let timer: number | undefined
  const requests = coalesce<void>(async () => {
    clearTimeout(timer)
    const result = await ask(ending.signal)
    if (ending.signal.aborted) return
    const nowMs = Date.now()
    const pauseMs = Math.max(everyMs * (0.9 + Math.random() / 5), result.ok ? 0 : (result.error.retryAfterMs ?? 0))
    if (result.ok) state.value = { value: result.value, failure: null, atMs: nowMs }
    else {
      const { value, atMs } = state.peek()
      const isExpired = atMs === null || nowMs - atMs > keepMs
      const { code, message } = result.error
      state.value = {
        value: isExpired ? null : value,
        failure: { code, message, againAtMs: nowMs + pauseMs },
        atMs: isExpired ? null : atMs,
      }
    }
    if (!document.hidden) timer = window.setTimeout(refresh, pauseMs)
  }, reportError)

  function refresh(): void {
    requests.request()
  }

  function visibilityChanged(): void {
    if (document.hidden) clearTimeout(timer)
    else refresh()
  }
  document.addEventListener('visibilitychange', visibilityChanged)
  refresh()
  return {
    state,
    refresh,
    stop() {
      ending.abort()
      requests.stop()
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', visibilityChanged)
    },
  }
}
