import { afterClose, delayAfterClose } from '#protocol/closeCodes.ts'
import type { ClientContext } from './context.ts'
import { type ReadMessage, readMessage } from './messages.ts'
import type { WebSocketLike } from './options.ts'
import { Timer } from './timers.ts'

/** Time from opening to the first message, and from a probe to its answer. */
const ANSWER_MS = 10_000

const SILENCE_MS = 25_000

/** A request that the server answers at once, whatever the state of its database: no client subscribes to the zero address. */
const PROBE = '{"type":"unsubscribe","token":"0x0000000000000000000000000000000000000000"}'

/**
 * Why a socket ended. `failed`: before the first message; `timedOut`: the same, after `ANSWER_MS`; `lost`: after the first message;
 * `dismissed`: the server closed it with a code that asks the client not to reconnect.
 */
export type SocketEnd = 'failed' | 'timedOut' | 'lost' | 'dismissed'

export interface SocketClose {
  /** `null`: the socket broke. */
  readonly code: number | null
  /** When the server asks the client to come back; `null`: it does not say. */
  readonly delayMs: number | null
}

const BROKEN: SocketClose = { code: null, delayMs: null }

export interface FeedSocketEvents {
  readonly onOpen: () => void
  /** The first message arrived. Some proxies accept a WebSocket and pass nothing on, so an open socket proves nothing. */
  readonly onLive: () => void
  readonly onMessage: (message: ReadMessage) => void
  /** The last event, once; not after `close()`. */
  readonly onEnd: (end: SocketEnd, close: SocketClose) => void
}

/** Browsers do not show pings, so after some silence the server is probed with a request that it always answers. */
export class FeedSocket {
  readonly #context: ClientContext
  readonly #events: FeedSocketEvents
  #socket: WebSocketLike | null = null
  #phase: 'opening' | 'open' | 'live' | 'probing' | 'closed' = 'opening'
  readonly #timer: Timer

  constructor(context: ClientContext, events: FeedSocketEvents) {
    this.#context = context
    this.#events = events
    this.#timer = new Timer(context.timers)
  }

  get isOpen(): boolean {
    return this.#phase !== 'opening' && this.#phase !== 'closed'
  }

  get #isLive(): boolean {
    return this.#phase === 'live' || this.#phase === 'probing'
  }

  start(): void {
    this.#timer.start(ANSWER_MS, () => this.#end('timedOut'))
    try {
      this.#socket = this.#context.openSocket()
    } catch {
      this.#end()
      return
    }
    this.#socket.onopen = () => this.#opened()
    this.#socket.onmessage = (event: { readonly data: unknown }) => this.#received(event.data)
    this.#socket.onclose = ({ code, reason }: { readonly code: number; readonly reason?: string }) =>
      this.#end(afterClose(code) === 'stop' ? 'dismissed' : undefined, { code, delayMs: delayAfterClose(code, reason ?? '') })
    // A close event with its code follows, except in Node 22 for a socket that could not be opened.
    this.#socket.onerror = () => this.#timer.start(0, () => this.#end())
  }

  send(text: string): void {
    if (!this.isOpen) return
    try {
      this.#socket?.send(text)
    } catch {
      this.#end()
    }
  }

  /** Ends the socket unless the server answers in time. */
  probe(): void {
    if (this.#phase !== 'live') return
    this.#phase = 'probing'
    this.#timer.start(ANSWER_MS, () => this.#end())
    this.send(PROBE)
  }

  close(): void {
    this.#timer.stop()
    this.#phase = 'closed'
    const socket = this.#socket
    this.#socket = null
    if (socket === null) return
    socket.onopen = socket.onmessage = socket.onclose = null
    // On some platforms closing a socket that is still opening is an error event, and an unhandled one ends the process.
    socket.onerror = () => {}
    try {
      socket.close(1000)
    } catch {
      // It is closed already.
    }
  }

  #opened(): void {
    this.#phase = 'open'
    this.send(PROBE)
    this.#events.onOpen()
  }

  #received(data: unknown): void {
    const isFirst = !this.#isLive
    this.#phase = 'live'
    this.#timer.start(SILENCE_MS, () => this.probe())
    if (isFirst) this.#events.onLive()
    // `onLive` may have closed the socket.
    if (this.#isLive) this.#events.onMessage(readMessage(data))
  }

  #end(end: SocketEnd = this.#isLive ? 'lost' : 'failed', close: SocketClose = BROKEN): void {
    this.close()
    this.#events.onEnd(end, close)
  }
}
