import { ClientError } from '#client/clientError.ts'
import { type AbortSignalLike, Ending, onAbort } from '#client/ending.ts'
import type { Tokenwire } from '#client/tokenwire.ts'
import type { WatchedToken } from './watch.ts'

/**
 * `updates` of a client: a watch as an async iterator that keeps at most one state, the newest. The watch begins with the first step, so an
 * iterator that is never read holds nothing.
 */
export function createUpdates(watch: Tokenwire['watch'], closed: AbortSignalLike): Tokenwire['updates'] {
  return async function* updates(address, options = {}) {
    const ending = new Ending()
    let newest = null as WatchedToken | null
    let wake = () => {}
    const onUpdate = (state: WatchedToken) => {
      newest = state
      wake()
    }
    const watched = watch(address, onUpdate, { ...options, onEnd: error => ending.abort(error) })
    ending.addEventListener('abort', () => wake())
    const stopListening = onAbort([options.signal, closed], () => ending.abort())
    if (options.signal?.aborted || closed.aborted) ending.abort()
    try {
      while (!ending.aborted) {
        const state = newest
        newest = null
        if (state === null) await new Promise<void>(resolve => (wake = resolve))
        else yield state
      }
      if (ending.reason instanceof ClientError) throw ending.reason
    } finally {
      ending.abort()
      stopListening()
      watched.close()
    }
    return undefined
  }
}
