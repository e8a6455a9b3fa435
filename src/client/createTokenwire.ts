import { onWake } from './browserPage.ts'
import { createContext } from './context.ts'
import { Ending } from './ending.ts'
import { tokensOf } from './feed/carried.ts'
import { createConnectionPool } from './feed/connectionPool.ts'
import { createFeed } from './feed/feed.ts'
import { REST_METHODS, type RestApi } from './generated/restMethods.ts'
import { createChannelLinks } from './live/channelLinks.ts'
import type { TokenwireOptions } from './options.ts'
import { createRest, createRestApi } from './rest/rest.ts'
import type { ConnectionState, Tokenwire } from './tokenwire.ts'
import { createUpdates, createWatch } from './watch/createWatch.ts'
import { createRefetcher } from './watch/refetcher.ts'

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
  const refetcher = createRefetcher(context, api, {
    watchedTokens: () => feed.tokens(),
    tokensWithoutStream: () => pool.tokensWithoutStream(),
    onToken: token => feed.refetched(token),
    onFetched: isSuccess => pool.polled(isSuccess),
  })
  let ignoreWakes: (() => void) | null = null
  const pool = createConnectionPool(context, {
    onConnect() {
      ignoreWakes ??= onWake(wake)
    },
    onState(state) {
      // A listener may change the state, which calls all listeners anew, or remove other listeners.
      for (const listener of Array.from(listeners)) if (listeners.has(listener) && pool.state === state) context.call(listener, state)
    },
    onLive: carried => refetcher.soon(tokensOf(carried)),
    onBlocked: refetcher.poll,
  })
  const feed = createFeed(context, pool, refetcher)
  const watch = createWatch(context, feed)

  function wake(): void {
    pool.wake()
    for (const end of context.pauses) end()
    refetcher.soon(feed.tokens(), 0)
  }

  return {
    ...api,
    watch,
    updates: createUpdates(watch, closed),
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
    extension: { ...context, rest, subscribe: createChannelLinks(context, pool), polled: pool.polled },
    close() {
      listeners.clear()
      context.dismissed.clear()
      closed.abort()
      ignoreWakes?.()
      pool.close()
    },
  }
}
