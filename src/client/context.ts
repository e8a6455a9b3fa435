import type { TokenwireOptions, WebSocketLike } from './options.ts'
import { createTimers, platformClock, type Timers } from './timers.ts'

/** What the parts of one client share: its options with their defaults, its timers and its ways to the platform. */
export interface ClientContext extends Required<Omit<TokenwireOptions, 'url' | 'WebSocket' | 'clock'>> {
  readonly base: string
  /** Throws where the platform has no WebSocket. */
  readonly openSocket: () => WebSocketLike
  readonly timers: Timers
  readonly closed: AbortSignal
  /** `reconnect` calls them: each begins again what ended when the server asked the client not to reconnect. */
  readonly dismissed: Set<() => void>
  /** Each ends the pause before a retry. Called when the network or the page comes back, and with `reconnect`. */
  readonly pauses: Set<() => void>
  /** Calls a listener of the client's user. An error that it throws is reported and goes no further. */
  readonly call: <T>(listener: ((value: T) => void) | undefined, value: T) => void
}

interface Platform {
  readonly WebSocket: new (url: string) => WebSocketLike
  readonly location?: { readonly href: string }
  readonly reportError?: (error: unknown) => void
  readonly console: { error(error: unknown): void }
}

const platform = globalThis as unknown as Platform

export function createContext(options: TokenwireOptions, closed: AbortSignal): ClientContext {
  const { WebSocket: Socket = platform.WebSocket, clock = platformClock, onError } = options
  const base = baseOf(options.url)
  const report = (error: unknown) => guarded(onError, error, showUncaught)
  return {
    base,
    // Called as a plain function: browsers reject a `fetch` that is called as a method of another object.
    fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
    openSocket: () => new Socket(`${base.replace(/^http/, 'ws')}/realtime`),
    timers: createTimers(clock, closed),
    random: options.random ?? Math.random,
    timeoutMs: options.timeoutMs ?? 15_000,
    retries: options.retries ?? 2,
    maxSubscriptions: options.maxSubscriptions ?? 200,
    maxConnections: options.maxConnections ?? 5,
    maxEventStreams: options.maxEventStreams ?? 4,
    keepConnected: options.keepConnected ?? false,
    closed,
    dismissed: new Set(),
    pauses: new Set(),
    onError: report,
    call: (listener, value) => guarded(listener, value, onError === undefined ? showUncaught : report),
  }
}

/** The address without query, fragment and trailing slash. A relative one is resolved against the page. */
function baseOf(url: string): string {
  const { origin, pathname } = new URL(url, platform.location?.href)
  return (origin + pathname).replace(/\/+$/, '')
}

function guarded<T>(listener: ((value: T) => void) | undefined, value: T, onFailure: (error: unknown) => void): void {
  try {
    listener?.(value)
  } catch (error) {
    onFailure(error)
  }
}

/** Shows an error where the platform shows uncaught errors, without ending the process. */
function showUncaught(error: unknown): void {
  ;(platform.reportError ?? platform.console.error)(error)
}
