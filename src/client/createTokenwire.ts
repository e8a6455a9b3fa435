import type { Address } from '#domain/address.ts'
import { calls } from './calls.ts'
import { systemClock, Timers } from './clock.ts'
import { Feed } from './feed.ts'
import { accept, type Held } from './held.ts'
import { iterate } from './iterate.ts'
import type { TokenwireOptions, WebSocketLike } from './options.ts'
import { Rest } from './rest.ts'
import type { ConnectionState, Tokenwire } from './tokenwire.ts'
import { TokenwireError } from './tokenwireError.ts'
import type { Watch, WatchedToken, WatchOptions } from './watch.ts'
import type { Watcher } from './watcher.ts'

const ADDRESS = /^0x[0-9a-f]{40}$/i

/**
 * A client of the service at `options.url`. It connects when the first token is watched.
 *
 * @throws `TypeError` when an address is not one, or the platform lacks `fetch`
 */
export function createTokenwire(options: TokenwireOptions): Tokenwire {
  const { random = Math.random, clock = systemClock, timeoutMs = 15_000, retries = 2, silenceMs = 25_000 } = options
  const { maxSubscriptions = 200, maxConnections = 5, keepConnected = false } = options
  const base = baseOf(options.url)
  const timers = new Timers(clock)
  const closed = new AbortController()
  const report = reporter(options.onError)
  const rest = new Rest({
    base,
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    timers,
    random,
    timeoutMs,
    retries,
    closed: closed.signal,
  })
  const socket = options.WebSocket ?? (globalThis.WebSocket as (new (url: string) => WebSocketLike) | undefined)
  const realtimeUrl = (options.realtimeUrl === undefined ? `${base}/realtime` : baseOf(options.realtimeUrl)).replace(/^http/, 'ws')
  const stateListeners = new Set<(state: ConnectionState) => void>()
  const guarded = <T>(listener: (value: T) => void, value: T) => {
    try {
      listener(value)
    } catch (error) {
      report(error)
    }
  }
  const feed = new Feed({
    open: () => {
      if (socket === undefined) throw new TypeError('there is no WebSocket')
      return new socket(realtimeUrl)
    },
    timers,
    random,
    silenceMs,
    maxSubscriptions,
    maxConnections,
    keepConnected,
    onState: state => {
      for (const listener of [...stateListeners]) guarded(listener, state)
    },
    onError: report,
  })

  function watch(address: string, onUpdate: (state: WatchedToken) => void, watchOptions: WatchOptions = {}): Watch {
    if (!ADDRESS.test(address)) throw new TypeError('an address is 0x and 40 hex digits')
    if (closed.signal.aborted) throw new TokenwireError('closed', 'the client is closed')
    const token = address.toLowerCase() as Address
    const { signal, initial } = watchOptions
    let held: Held | null = initial === undefined ? null : accept(null, { source: 'initial', token: initial })
    let isOver = false
    const finish = () => {
      isOver = true
      signal?.removeEventListener('abort', finish)
      feed.remove(token, watcher)
    }
    const watcher: Watcher = {
      deliver(news) {
        if (isOver || (held !== null && news.state.sequence < held.state.sequence)) return
        if (news.state.sequence === held?.state.sequence && news.fullSequence === held.fullSequence) return
        held = news
        guarded(onUpdate, news.state)
      },
      end(error) {
        if (isOver) return
        finish()
        if (error !== null && watchOptions.onEnd !== undefined) guarded(watchOptions.onEnd, error)
      },
    }
    if (signal?.aborted) isOver = true
    else {
      signal?.addEventListener('abort', finish)
      feed.add(token, watcher)
      if (initial !== undefined) feed.take(token, { source: 'initial', token: initial })
      const known = feed.held(token)
      if (known !== null) timers.after(0, () => watcher.deliver(known))
    }
    return {
      address: token,
      get current() {
        return held?.state ?? null
      },
      close: finish,
    }
  }

  return {
    ...calls(rest),
    watch,
    updates: (address, updatesOptions) => iterate(watch, address, updatesOptions),
    get state() {
      return feed.state
    },
    onState(listener) {
      const own = (state: ConnectionState) => listener(state)
      stateListeners.add(own)
      return () => void stateListeners.delete(own)
    },
    reconnect: () => feed.wake(),
    close() {
      if (closed.signal.aborted) return
      closed.abort()
      stateListeners.clear()
      feed.close()
      timers.stop()
    },
  }
}

/** An address without query, fragment and slash at the end; a relative one belongs to the page. */
function baseOf(url: string): string {
  const { location } = globalThis as { location?: { href: string } }
  const { origin, protocol, host, pathname } = new URL(url, location?.href)
  return `${origin === 'null' ? `${protocol}//${host}` : origin}${pathname}`.replace(/\/+$/, '')
}

/** Errors that nobody is there to catch go where the platform shows uncaught ones, without ending anything. */
function reporter(onError: ((error: unknown) => void) | undefined): (error: unknown) => void {
  return error => {
    try {
      onError?.(error)
    } catch {
      // The one place that is told of errors fails itself.
    }
  }
}
