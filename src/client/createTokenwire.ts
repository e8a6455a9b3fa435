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
  const Socket = options.WebSocket ?? (globalThis as { WebSocket?: new (url: string) => WebSocketLike }).WebSocket
  const base = baseOf(options.url)
  const realtimeUrl = absolute(options.realtimeUrl ?? `${base}/realtime`).href.replace(/^http/, 'ws')
  const timers = new Timers(clock)
  const closed = new AbortController()
  const listeners = new Set<(state: ConnectionState) => void>()

  const report = reporterTo(onError)
  const call = <T>(listener: ((value: T) => void) | undefined, value: T) => {
    try {
      listener?.(value)
    } catch (error) {
      report(error)
      if (onError === undefined) showUncaught(error)
    }
  }
  const api = calls(new Rest({ base, fetch, timers, random, timeoutMs, retries, closed: closed.signal }))
  const feed = new Feed({
    openSocket: () => {
      if (Socket === undefined) throw new TypeError('the platform has no WebSocket')
      return new Socket(realtimeUrl)
    },
    base,
    fetch,
    EventSource: options.EventSource,
    calls: api,
    timers,
    random,
    silenceMs: options.silenceMs ?? 25_000,
    reconcileMs: options.reconcileMs ?? 60_000,
    pollMs: options.pollMs ?? 5_000,
    maxSubscriptions: options.maxSubscriptions ?? 200,
    maxConnections: options.maxConnections ?? 5,
    maxEventStreams: options.maxEventStreams ?? 4,
    keepConnected: options.keepConnected ?? false,
    isHidden,
    onState: state => {
      for (const listener of Array.from(listeners)) call(listener, state)
    },
    onError: report,
  })
  onWake(() => feed.wake(), closed.signal)
  const watch: Tokenwire['watch'] = (address, onUpdate, watchOptions = {}) => {
    if (closed.signal.aborted) throw new TokenwireError('closed', 'the client is closed')
    return startWatching(address, onUpdate, watchOptions, { feed, calls: api, timers, random, onError: report, call })
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

/** Whoever is told of errors may fail too, which harms nobody either. */
function reporterTo(onError: TokenwireOptions['onError']): (error: unknown) => void {
  return error => {
    try {
      onError?.(error)
    } catch (another) {
      showUncaught(another)
    }
  }
}

/** A listener's mistake goes where the platform shows mistakes that nobody caught, without ending a process. */
function showUncaught(error: unknown): void {
  const { reportError, console } = globalThis as { reportError?: (error: unknown) => void; console: { error(error: unknown): void } }
  if (reportError === undefined) console.error(error)
  else reportError(error)
}
