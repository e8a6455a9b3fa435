import { batch } from '@preact/signals'

/** Longest time of one animation frame for queued updates; the rest waits for the next frame. */
const BUDGET_MS = 6

/** Updates that wait for the next animation frame, the newest per key. */
export interface RenderQueue {
  /** Replaces the waiting update of the key. */
  put(key: string, apply: () => void): void
  /** Removes the waiting update of the key. */
  drop(key: string): void
}

/**
 * Applies the newest update of each key once per animation frame, so that updates faster than the screen cost nothing. A hidden
 * page has no frames: it keeps one update per key until it is visible again.
 */
export function createRenderQueue(requestFrame: (run: () => void) => void = run => requestAnimationFrame(run)): RenderQueue {
  const waiting = new Map<string, () => void>()
  let isRequested = false

  function request(): void {
    if (isRequested) return
    isRequested = true
    requestFrame(flush)
  }

  function flush(): void {
    isRequested = false
    const until = performance.now() + BUDGET_MS
    batch(() => {
      for (const [key, apply] of waiting) {
        waiting.delete(key)
        apply()
        if (performance.now() >= until) break
      }
    })
    if (waiting.size > 0) request()
  }

  return {
    put(key, apply) {
      waiting.set(key, apply)
      request()
    },
    drop: key => void waiting.delete(key),
  }
}
