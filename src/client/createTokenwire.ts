import { onWake } from './browserPage.ts'
import { createContext } from './context.ts'
import { Ending } from './ending.ts'
import { tokensOf } from './feed/carried.ts'
import { type ConnectionState, createConnectionPool } from './feed/connectionPool.ts'
import { createFollow } from './follow.ts'
import { REST_METHODS, type RestApi } from './generated/restMethods.ts'
import type { TokenwireOptions } from './options.ts'
import { type ReadingOptions, startReading } from './reading.ts'
import { createRest, createRestApi } from './rest/rest.ts'
import type { Tokenwire } from './tokenwire.ts'
import { createTokenReader } from './watch/tokenReader.ts'
import { createWatches } from './watch/watch.ts'

/**
 * A client of the service at `options.url`. It connects when the first token is watched.
 *
 * @throws `TypeError` when `url` is not a valid address
 */
export function createTokenwire(options: TokenwireOptions): Tokenwire {
  const closed = new Ending()
  const context = createContext(options, closed)
  const listeners = new Set<(state: ConnectionState) => void>()
  const rest = createRest(context)
  const api = createRestApi<RestApi>(REST_METHODS, rest)
  const read = (options: ReadingOptions) => startReading(context, pool.polled, options)
  const reader = createTokenReader(context, api, read, {
    watched: () => watches.tokens(),
    withoutStream: () => pool.tokensWithoutStream(),
    take: token => watches.take(token),
  })
  let keys = 0
  let ignoreWakes: (() => void) | null = null
  const pool = createConnectionPool(context, {
    onConnect() {
      ignoreWakes ??= onWake(wake)
    },
    onState(state) {
      // A listener may change the state, which calls all listeners anew, or remove other listeners.
      for (const listener of Array.from(listeners)) if (listeners.has(listener) && pool.state === state) context.call(listener, state)
    },
    onLive: carried => reader.soon(tokensOf(carried)),
    onBlocked: () => reader.soon(pool.tokensWithoutStream(), 0),
  })
  const follow = createFollow(context)
  const watches = createWatches(context, follow, pool, reader)

  function wake(): void {
    pool.wake()
    for (const end of context.pauses) end()
  }

  return {
    ...api,
    watch: watches.watch,
    get state() {
      return pool.state
    },
    onState(listener) {
      // A wrapper, because the same function may be added twice.
      const own = (state: ConnectionState) => listener(state)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    reconnect() {
      if (closed.aborted) return
      pool.allow()
      // A listener may call this while other listeners are still being ended. They end first.
      context.timers.after(0, () => {
        for (const begin of context.dismissed) {
          context.dismissed.delete(begin)
          begin()
        }
      })
      wake()
    },
    extension: { ...context, rest, pool, nextKey: () => `c${++keys}`, follow, startReading: read },
    close() {
      listeners.clear()
      context.dismissed.clear()
      closed.abort()
      ignoreWakes?.()
      pool.close()
    },
  }
}
