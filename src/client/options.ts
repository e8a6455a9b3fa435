/** The part of the platform's WebSocket that the client uses. */
export interface WebSocketLike {
  onopen: ((event: never) => void) | null
  onmessage: ((event: never) => void) | null
  onerror: ((event: never) => void) | null
  onclose: ((event: never) => void) | null
  send(data: string): void
  close(code?: number): void
}

/** The time that the client runs on, in milliseconds. Public as `Clock`. */
export interface ClientClock {
  /** Monotonic. */
  now(): number
  setTimeout(run: () => void, ms: number): unknown
  clearTimeout(timer: unknown): void
}

export interface TokenwireOptions {
  /** The service's address, such as `https://tokenwire.example.com`. In a browser it may be relative to the page. */
  readonly url: string
  /** Sent with every request. In a page everyone can read it: give it origins. */
  readonly apiKey?: string
  /** Default: the platform's. */
  readonly fetch?: typeof globalThis.fetch
  /** Default: the platform's; without one the client uses event streams. */
  readonly WebSocket?: new (
    url: string,
  ) => WebSocketLike
  /** Returns a number from 0 up to 1. Default: `Math.random`. */
  readonly random?: () => number
  /** Default: the platform's. */
  readonly clock?: ClientClock
  /** Time limit of each attempt of a REST call, in ms. Default 15,000. */
  readonly timeoutMs?: number
  /** Attempts of a REST call after the first one. Default 2. */
  readonly retries?: number
  /** Subscriptions per WebSocket; the server's limit. Default 200. */
  readonly maxSubscriptions?: number
  /** WebSockets open at once, when one can't carry all watches. Default 5. */
  readonly maxConnections?: number
  /** Keeps one connection open while nothing is watched. Default false: the last one is closed after 5 s. */
  readonly keepConnected?: boolean
  /**
   * Called with a failure outside of any call: a listener that threw, a message without the promised shape, a failed background
   * request. Default: errors of listeners go to the platform's `reportError` or the console, the others are dropped.
   */
  readonly onError?: (error: unknown) => void
}
