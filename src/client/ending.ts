/** The part of an `AbortSignal` that the client uses. React Native's has no more. */
export interface AbortSignalLike {
  readonly aborted: boolean
  readonly reason?: unknown
  addEventListener(type: 'abort', run: () => void): void
  removeEventListener(type: 'abort', run: () => void): void
}

/**
 * An `AbortController` and its signal in one plain object. In Cloudflare's workers the platform's own belongs to the request that made it,
 * and can't be made outside of requests.
 */
export class Ending implements AbortSignalLike {
  aborted = false
  reason: unknown = null
  readonly #listeners = new Set<() => void>()

  abort(reason: unknown = null): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    for (const run of this.#listeners) run()
  }

  addEventListener(_: 'abort', run: () => void): void {
    this.#listeners.add(run)
  }

  removeEventListener(_: 'abort', run: () => void): void {
    this.#listeners.delete(run)
  }
}

/** Runs when one of the signals aborts. Returns a function that no longer listens. */
export function onAbort(signals: readonly (AbortSignalLike | undefined)[], run: () => void): () => void {
  for (const signal of signals) signal?.addEventListener('abort', run)
  return () => {
    for (const signal of signals) signal?.removeEventListener('abort', run)
  }
}
