import { calls } from './calls.ts'
import { systemClock, Timers } from './clock.ts'
import { isHidden, onWake } from './environment.ts'
import { Feed } from './feed.ts'
import { iterate } from './iterate.ts'
import type { TokenwireOptions, WebSocketLike } from './options.ts'
import { Rest } from './rest.ts'
import type { ConnectionState, Tokenwire } from './tokenwire.ts'
import { TokenwireError } from './tokenwireError.ts'
import { startWatching } from './watching.ts'

/**
 * A client of the service at `options.url`. It connects when the first token is watched.
 *
 * @throws `TypeError` when an address is not one
 */
export function createTokenwire(options: TokenwireOptions): Tokenwire {
  const { random = Math.random, clock = systemClock, timeoutMs = 15_000, retries = 2, onError } = options
  // Called as a plain function: browsers refuse a `fetch` that is the method of anything but the page.
  const { fetch = (...request: Parameters<typeof globalThis.fetch>) => globalThis.fetch(...request) } = options
  const Socket = options.WebSocket ?? (globalThis as unknown as { WebSocket: new (url: string) => WebSocketLike }).WebSocket
  const base = baseOf(options.url)
  const realtimeUrl = absolute(options.realtimeUrl ?? `${base}/realtime`).href.replace(/^http/, 'ws')
  const timers = new Timers(clock)
  const closed = new AbortController()
  const listeners = new Set<(state: ConnectionState) => void>()

  const report = (error: unknown) => told(onError, error, showUncaught)
  const call = <T>(listener: ((value: T) => void) | undefined, value: T) =>
    told(listener, value, onError === undefined ? showUncaught : report)
  const shared = { base, fetch, timers, random, onError: report }
  const api = calls(new Rest({ ...shared, timeoutMs, retries, closed: closed.signal }))
  const feed = new Feed({
    ...shared,
    // Throws where the platform has none, which is one way of not being able to open one.
    openSocket: () => new Socket(realtimeUrl),
    EventSource: options.EventSource,
    calls: api,
    silenceMs: options.silenceMs ?? 25_000,
    reconcileMs: options.reconcileMs ?? 60_000,
    pollMs: options.pollMs ?? 5_000,
    maxSubscriptions: options.maxSubscriptions ?? 200,
    maxConnections: options.maxConnections ?? 5,
    maxEventStreams: options.maxEventStreams ?? 4,
    keepConnected: options.keepConnected ?? false,
    isHidden,
    onState: state => {
      // A listener may change the state, which all hear of at once, or stop others.
      for (const listener of Array.from(listeners)) if (listeners.has(listener) && feed.state === state) call(listener, state)
    },
  })
  onWake(() => feed.wake(), closed.signal)
  const watch: Tokenwire['watch'] = (address, onUpdate, watchOptions = {}) => {
    if (closed.signal.aborted) throw new TokenwireError('closed', 'the client is closed')
    return startWatching(address, onUpdate, watchOptions, { ...shared, feed, calls: api, call })
  }

  return {
    ...api,
    watch,
    updates: (address, updatesOptions) => iterate(watch, closed.signal, address, updatesOptions),
    get state() {
      return feed.state
    },
    onState(listener) {
      // The same function may listen twice.
      const own = (state: ConnectionState) => listener(state)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    reconnect: () => {
      if (!closed.signal.aborted) feed.reconnect()
    },
    close() {
      if (closed.signal.aborted) return
      closed.abort()
      listeners.clear()
      feed.close()
      timers.stop()
    },
  }
}

/** A relative address belongs to the page. */
function absolute(url: string): URL {
  return new URL(url, (globalThis as { location?: { href: string } }).location?.href)
}

/** An address without query, fragment and slash at the end. */
function baseOf(url: string): string {
  const { origin, pathname } = absolute(url)
  return (origin + pathname).replace(/\/+$/, '')
}

/** Whoever is told something may fail, which harms nobody else. */
function told<T>(listener: ((value: T) => void) | undefined, value: T, failed: (error: unknown) => void): void {
  try {
    listener?.(value)
  } catch (error) {
    failed(error)
  }
}

/** A listener's mistake goes where the platform shows mistakes that nobody caught, without ending a process. */
function showUncaught(error: unknown): void {
  const { reportError, console } = globalThis as { reportError?: (error: unknown) => void; console: { error(error: unknown): void } }
  ;(reportError ?? console.error)(error)
}
