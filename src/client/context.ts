import type { AbortSignalLike } from './ending.ts'
import type { TokenwireOptions, WebSocketLike } from './options.ts'
import { queryText } from './rest/queryText.ts'
import { createTimers, platformClock, type Timers } from './timers.ts'

/** What the parts of one client share: its options with their defaults, its timers and its ways to the platform. */
export interface ClientContext extends Required<Omit<TokenwireOptions, 'url' | 'apiKey' | 'WebSocket' | 'clock'>> {
  readonly base: string
  /** Throws where the platform has no WebSocket. */
  readonly openSocket: () => WebSocketLike
  readonly timers: Timers
  readonly closed: AbortSignalLike
  /** `reconnect` calls them: each begins again what ended when the server asked the client not to reconnect. */
  readonly dismissed: Set<() => void>
  /** Each ends the pause before a retry. Called when the network or the page comes back, and with `reconnect`. */
  readonly pauses: Set<() => void>
  /** Calls a listener of the client's user. An error that it throws is reported and goes no further. */
  readonly call: <T>(listener: ((value: T) => void) | undefined, value: T) => void
}

interface Platform {
  readonly WebSocket: new (url: string) => WebSocketLike
  readonly location?: { readonly href: string; readonly origin: string }
  readonly reportError?: (error: unknown) => void
  readonly console: { error(error: unknown): void }
}

const platform = globalThis as unknown as Platform

export function createContext(options: TokenwireOptions, closed: AbortSignalLike): ClientContext {
  // Called as a plain function: browsers reject a `fetch` that is called as a method of another object.
  const { clock = platformClock, onError, apiKey, fetch = (...request) => globalThis.fetch(...request) } = options
  const base = baseOf(options.url)
  const report = (error: unknown) => guarded(onError, error, showUncaught)
  return {
    base,
    // The client's own headers are a plain object.
    fetch: apiKey ? (url, init) => fetch(url, { ...init, headers: { ...(init?.headers as object), 'x-api-key': apiKey } }) : fetch,
    openSocket() {
      // Browsers send no headers with it.
      const url = `${base.replace(/^http/, 'ws')}/realtime${apiKey ? queryText({ apiKey }) : ''}`
      return new (options.WebSocket ?? platform.WebSocket)(url)
    },
    timers: createTimers(clock, closed),
    random: options.random ?? Math.random,
    timeoutMs: options.timeoutMs ?? 15_000,
    retries: options.retries ?? 2,
    maxSubscriptions: options.maxSubscriptions ?? 200,
    maxConnections: options.maxConnections ?? 5,
    keepConnected: options.keepConnected ?? false,
    closed,
    dismissed: new Set(),
    pauses: new Set(),
    onError: report,
    call: (listener, value) => guarded(listener, value, onError === undefined ? showUncaught : report),
  }
}

/**
 * The address without query, fragment and trailing slash. One that begins with a slash is of the page's host; a server that renders the
 * page has none, and may make the client all the same. Only rare forms need the platform's `URL`: React Native's has no parts.
 */
function baseOf(url: string): string {
  const [usual, host = platform.location?.origin ?? '', path = ''] = /^(https?:\/\/[^\s/?#@\\]+)?(\/(?!\/)[^\s?#]*)?$/.exec(url) ?? []
  const { origin, pathname } = usual ? { origin: host, pathname: path } : new URL(url, platform.location?.href)
  if (!usual && !origin.startsWith('http')) throw new TypeError(`not HTTP: ${url}`)
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
