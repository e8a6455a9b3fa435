import { type ReadonlySignal, signal } from '@preact/signals'
import type { Result } from '#client/result.ts'

/** What is asked for again and again: the newest answer, and whether the last question failed. */
export interface Polled<T> {
  readonly value: T | null
  /** Why the newest question got no answer; `null`: it got one, or none was asked yet. */
  readonly failure: string | null
  /** When `value` came, Unix ms. */
  readonly atMs: number | null
}

export interface Poll<T> {
  readonly state: ReadonlySignal<Polled<T>>
  /** Asks now. */
  refresh(): void
  stop(): void
}

export interface PollOptions<T> {
  readonly everyMs: number
  readonly ask: (signal: AbortSignal) => Promise<Result<T>>
  /** A value is not shown beyond this age when it can't be renewed. Default: it is, with the failure beside it. */
  readonly keepMs?: number
}

/** Asks at once and then in intervals, a tenth more or less; not while the page is hidden, and at once when it is seen again. One question at a time. */
export function poll<T>({ everyMs, ask, keepMs = Number.POSITIVE_INFINITY }: PollOptions<T>): Poll<T> {
  const state = signal<Polled<T>>({ value: null, failure: null, atMs: null })
  const ending = new AbortController()
  let timer: number | undefined
  let asking = false
  let again = false

  async function run(): Promise<void> {
    if (asking) {
      again = true
      return
    }
    asking = true
    clearTimeout(timer)
    const result = await ask(ending.signal)
    asking = false
    if (ending.signal.aborted) return
    const nowMs = Date.now()
    if (result.ok) state.value = { value: result.value, failure: null, atMs: nowMs }
    else {
      const { value, atMs } = state.peek()
      const expired = atMs === null || nowMs - atMs > keepMs
      state.value = { value: expired ? null : value, failure: result.error.message, atMs: expired ? null : atMs }
    }
    if (again) {
      again = false
      void run()
    } else if (!document.hidden) timer = window.setTimeout(() => void run(), everyMs * (0.9 + Math.random() / 5))
  }

  const seen = () => {
    if (document.hidden) clearTimeout(timer)
    else void run()
  }
  document.addEventListener('visibilitychange', seen)
  void run()
  return {
    state,
    refresh: () => void run(),
    stop() {
      ending.abort()
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', seen)
    },
  }
}
