import { batch } from '@preact/signals'

/** How long one frame may work on what has come; the rest waits for the next one. */
const BUDGET_MS = 6

/** Work that waits for the next frame, the newest per key. */
export interface Frames {
  /** Replaces what waits under the key. */
  put(key: string, apply: () => void): void
  /** Forgets what waits under the key. */
  drop(key: string): void
  readonly counts: { readonly put: number; readonly applied: number }
}

/**
 * Applies updates once per frame, at most the newest of each token: what comes faster than it can be seen costs nothing. A hidden page has no
 * frames, so it keeps one update per token and shows it when it is looked at again.
 */
export function createFrames(
  requestFrame: (run: () => void) => void = run => requestAnimationFrame(run),
  now = () => performance.now(),
): Frames {
  const waiting = new Map<string, () => void>()
  const counts = { put: 0, applied: 0 }
  let requested = false

  function request(): void {
    if (requested) return
    requested = true
    requestFrame(flush)
  }

  function flush(): void {
    requested = false
    const until = now() + BUDGET_MS
    batch(() => {
      for (const [key, apply] of waiting) {
        waiting.delete(key)
        counts.applied++
        apply()
        if (now() >= until) break
      }
    })
    if (waiting.size > 0) request()
  }

  return {
    counts,
    put(key, apply) {
      counts.put++
      waiting.set(key, apply)
      request()
    },
    drop: key => void waiting.delete(key),
  }
}
