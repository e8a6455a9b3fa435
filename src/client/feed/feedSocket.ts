import type { ClientContext } from '#client/context.ts'
import type { WebSocketLike } from '#client/options.ts'
import { Timer } from '#client/timers.ts'
import { afterClose, delayAfterClose } from '#protocol/closeCodes.ts'
import { createMessageReader, type ReadMessage } from './messages.ts'

/** Time from opening to the first message, and from a ping to its answer. */
const ANSWER_MS = 10_000

const SILENCE_MS = 25_000

/** Pings without an answer after which a connection is dead. The second one is for a page that was too busy to read the first answer. */
const MAX_UNANSWERED = 2

const PING = '{"type":"ping"}'

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

/** Browsers do not show the server's pings, so after some silence the client sends its own. */
export class FeedSocket {
  readonly #context: ClientContext
  readonly #events: FeedSocketEvents
  readonly #read = createMessageReader()
  #socket: WebSocketLike | null = null
  #phase: 'opening' | 'open' | 'live' | 'closed' = 'opening'
  readonly #timer: Timer

  constructor(context: ClientContext, events: FeedSocketEvents) {
    this.#context = context
    this.#events = events
    this.#timer = new Timer(context.timers)
  }

  get isOpen(): boolean {
    return this.#phase !== 'opening' && this.#phase !== 'closed'
  }

  start(): void {
    this.#timer.start(ANSWER_MS, () => this.#end('timedOut'))
    try {
      const socket = this.#context.openSocket()
      this.#socket = socket
      socket.onopen = () => this.#opened()
      socket.onmessage = (event: { readonly data: unknown }) => this.#received(event.data)
      socket.onclose = ({ code, reason = '' }: { readonly code: number; readonly reason?: string }) =>
        this.#end(afterClose(code) === 'stop' ? 'dismissed' : undefined, { code, delayMs: delayAfterClose(code, reason) })
      // A close event with its code follows, except in Node 22 for a socket that could not be opened.
      socket.onerror = () => this.#timer.start(0, () => this.#end())
    } catch {
      this.#end()
    }
  }

  send(text: string): void {
    if (!this.isOpen) return
    try {
      this.#socket?.send(text)
    } catch {
      this.#end()
    }
  }

  /** Ends the socket unless the server answers one of the pings, each in time. */
  ping(answerMs = ANSWER_MS, pings = MAX_UNANSWERED): void {
    if (pings === 0) return this.#end()
    this.#timer.start(answerMs, () => this.ping(answerMs, pings - 1))
    this.send(PING)
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
    this.send(PING)
    this.#events.onOpen()
  }

  #received(data: unknown): void {
    const isFirst = this.#phase !== 'live'
    this.#phase = 'live'
    this.#timer.start(SILENCE_MS, () => this.ping())
    if (isFirst) this.#events.onLive()
    // `onLive` may have closed the socket.
    if (this.#socket !== null) this.#events.onMessage(this.#read(data))
  }

  #end(end: SocketEnd = this.#phase === 'live' ? 'lost' : 'failed', close: SocketClose = BROKEN): void {
    this.close()
    this.#events.onEnd(end, close)
  }
}
