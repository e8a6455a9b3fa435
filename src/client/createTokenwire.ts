import { createContext } from './context.ts'
import { createUpdates } from './createUpdates.ts'
import { createWatch } from './createWatch.ts'
import { createFeed } from './feed.ts'
import type { TokenwireOptions } from './options.ts'
import { onWake } from './page.ts'
import { createRestApi } from './restApi.ts'
import type { ConnectionState, Tokenwire } from './tokenwire.ts'

/**
 * A client of the service at `options.url`. It connects when the first token is watched.
 *
 * @throws `TypeError` when `url` is not a valid address
 */
export function createTokenwire(options: TokenwireOptions): Tokenwire {
  const closing = new AbortController()
  const closed = closing.signal
  const context = createContext(options, closed)
  const listeners = new Set<(state: ConnectionState) => void>()
  const api = createRestApi(context)
  const feed = createFeed(context, api, state => {
    // A listener may change the state, which calls all listeners anew, or remove other listeners.
    for (const listener of Array.from(listeners)) if (listeners.has(listener) && feed.state === state) context.call(listener, state)
  })
  const watch = createWatch(context, feed, api)
  onWake(feed.wake, closed)

  return {
    ...api,
    watch,
    updates: createUpdates(watch, closed),
    get state() {
      return feed.state
    },
    onState(listener) {
      // A wrapper, because the same function may be added twice.
      const own = (state: ConnectionState) => listener(state)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    reconnect() {
      if (!closed.aborted) feed.reconnect()
    },
    close() {
      if (closed.aborted) return
      listeners.clear()
      closing.abort()
      feed.close()
    },
  }
}
