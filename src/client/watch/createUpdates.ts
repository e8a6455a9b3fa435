import { ClientError } from '#client/clientError.ts'
import type { Tokenwire } from '#client/tokenwire.ts'
import type { WatchedToken } from './watch.ts'

/**
 * `updates` of a client: a watch as an async iterator that keeps at most one state, the newest. The watch begins with the first step, so an
 * iterator that is never read holds nothing.
 */
export function createUpdates(watch: Tokenwire['watch'], closed: AbortSignal): Tokenwire['updates'] {
  return async function* updates(address, options = {}) {
    const ending = new AbortController()
    const over = ending.signal
    let newest = null as WatchedToken | null
    let wake = () => {}
    const onUpdate = (state: WatchedToken) => {
      newest = state
      wake()
    }
    const watched = watch(address, onUpdate, { ...options, onEnd: error => ending.abort(error) })
    over.addEventListener('abort', () => wake())
    for (const signal of [options.signal, closed]) {
      signal?.addEventListener('abort', () => ending.abort(), { signal: over })
      if (signal?.aborted) ending.abort()
    }
    try {
      while (!over.aborted) {
        const state = newest
        newest = null
        if (state === null) await new Promise<void>(resolve => (wake = resolve))
        else yield state
      }
      if (over.reason instanceof ClientError) throw over.reason
    } finally {
      ending.abort()
      watched.close()
    }
    return undefined
  }
}
