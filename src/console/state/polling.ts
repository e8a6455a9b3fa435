import { type ReadonlySignal, signal } from '@preact/signals'
import { coalesce } from '#async/coalesce.ts'
import type { Result } from '#client/result.ts'

/** The state of a poll: the newest value, and whether the last request failed. */
export interface Polled<T> {
  readonly value: T | null
  /** Why the last request failed; `null` when it succeeded or none has ended yet. */
  readonly failure: string | null
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
 * Sends a request now, then periodically, a tenth more or less, one at a time. A hidden page pauses, and asks at once when it is
 * visible again.
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
    if (result.ok) state.value = { value: result.value, failure: null, atMs: nowMs }
    else {
      const { value, atMs } = state.peek()
      const isExpired = atMs === null || nowMs - atMs > keepMs
      state.value = { value: isExpired ? null : value, failure: result.error.message, atMs: isExpired ? null : atMs }
    }
    if (!document.hidden) timer = window.setTimeout(refresh, everyMs * (0.9 + Math.random() / 5))
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
