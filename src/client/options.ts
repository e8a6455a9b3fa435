/** A WebSocket as browsers and Node have it, as far as it is used here. */
export interface WebSocketLike {
  readonly readyState: number
  onopen: ((event: never) => void) | null
  onmessage: ((event: never) => void) | null
  onerror: ((event: never) => void) | null
  onclose: ((event: never) => void) | null
  send(data: string): void
  close(code?: number): void
}

/** An event stream as browsers have it, as far as it is used here. */
export interface EventSourceLike {
  readonly readyState: number
  onopen: ((event: never) => void) | null
  onerror: ((event: never) => void) | null
  addEventListener(type: string, listener: (event: never) => void): void
  close(): void
}

/** Time as the client sees it, in milliseconds. */
export interface Clock {
  /** Monotonic. */
  now(): number
  setTimeout(run: () => void, ms: number): unknown
  clearTimeout(timer: unknown): void
}

export interface TokenwireOptions {
  /** The service's base address, such as `https://tokenwire.example.com` or one with a path; in a browser it may be relative to the page. */
  readonly url: string
  /** The address of the WebSocket. Default: `<url>/realtime`. */
  readonly realtimeUrl?: string
  /** Default: the platform's. */
  readonly fetch?: typeof globalThis.fetch
  /** Default: the platform's; without one event streams are used. */
  readonly WebSocket?: new (
    url: string,
  ) => WebSocketLike
  /** Given: used for event streams instead of `fetch`, for platforms whose `fetch` gives a body only as a whole. */
  readonly EventSource?: new (
    url: string,
  ) => EventSourceLike
  /** From 0 up to 1. Default: `Math.random`. */
  readonly random?: () => number
  /** Default: the platform's. */
  readonly clock?: Clock
  /** Of REST calls, per attempt, in ms. Default 15,000. */
  readonly timeoutMs?: number
  /** Attempts of a REST call after the first one. Default 2. */
  readonly retries?: number
  /** How often all watched tokens are compared with REST, in ms, give or take a quarter. Default 60,000. */
  readonly reconcileMs?: number
  /** How often tokens without an event stream are asked for while WebSocket is away, in ms, give or take a quarter. Default 5,000. */
  readonly pollMs?: number
  /** Silence on the WebSocket after which the client asks whether the server is there, in ms. It has 10 s to answer. Default 25,000. */
  readonly silenceMs?: number
  /** Subscriptions that one WebSocket carries, as the server allows. Default 200. */
  readonly maxSubscriptions?: number
  /** WebSockets that are opened when one can't carry all watches. Default 5. */
  readonly maxConnections?: number
  /** Event streams that are open at once: browsers allow six connections per HTTP/1.1 host. Default 4. */
  readonly maxEventStreams?: number
  /** Keeps a connection also while nothing is watched. Default false: the last one is closed after some seconds. */
  readonly keepConnected?: boolean
  /** What went wrong behind the scenes: a listener that threw, a message that is not as promised, a reconciliation that failed. Default: nobody is told, except of listeners that threw. */
  readonly onError?: (error: unknown) => void
}
