import { afterClose } from '#protocol/closeCodes.ts'
import type { Timers } from './clock.ts'
import { type ReadMessage, readMessage } from './messages.ts'
import type { WebSocketLike } from './options.ts'

/** How long opening, up to the first message, may take, and how long an answer to "are you there?". */
export const ANSWER_MS = 10_000

/** What a server always answers at once, whatever the state of its database: nobody watches the zero address. */
export const PROBE = '{"type":"unsubscribe","token":"0x0000000000000000000000000000000000000000"}'

/**
 * Why a link is over. `failed`: it was never heard of; `slow`: the same, and it took all the time that it had; `lost`: it broke or fell silent;
 * `dismissed`: the server closed it with a code that asks not to come back.
 */
export type LinkEnd = 'failed' | 'slow' | 'lost' | 'dismissed'

export interface LinkOptions {
  readonly open: () => WebSocketLike
  readonly timers: Timers
  readonly silenceMs: number
  /** The socket is open and what is asked may be sent. */
  readonly onOpen: () => void
  /** The server was heard for the first time. */
  readonly onUp: () => void
  readonly onMessage: (message: ReadMessage) => void
  /** Called once, and nothing after it; not after `close()`. */
  readonly onEnd: (end: LinkEnd, code: number | null) => void
}

/**
 * One WebSocket from opening to its end, with the silence watched: browsers show no pings, so after some silence the server is asked
 * something that it always answers, and has to.
 */
export class Link {
  readonly #options: LinkOptions
  #socket: WebSocketLike | null = null
  #isOpen = false
  #isUp = false
  #isProbing = false
  #heardAt = 0
  #cancelTimer = () => {}

  constructor(options: LinkOptions) {
    this.#options = options
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** To be called once. May end the link before it returns. */
  start(): void {
    const { open, timers } = this.#options
    this.#cancelTimer = timers.after(ANSWER_MS, () => this.#end('slow'))
    try {
      this.#socket = open()
    } catch {
      this.#end()
      return
    }
    this.#socket.onopen = () => this.#opened()
    this.#socket.onmessage = (event: { readonly data: unknown }) => this.#received(event.data)
    this.#socket.onclose = (event: { readonly code: number }) => this.#closed(event.code)
    this.#socket.onerror = () => this.#broken()
  }

  /** Ignored unless the socket is open: whoever needs an answer watches for it. */
  send(text: string): void {
    if (!this.#isOpen) return
    try {
      this.#socket?.send(text)
    } catch {
      this.#end()
    }
  }

  /** Asks the server whether it is there, which it has to answer in time. */
  probe(): void {
    if (!this.#isUp || this.#isProbing) return
    this.#isProbing = true
    this.#cancelTimer()
    this.#cancelTimer = this.#options.timers.after(ANSWER_MS, () => this.#end())
    this.send(PROBE)
  }

  /** Nothing is called after this. */
  close(): void {
    this.#cancelTimer()
    const socket = this.#socket
    this.#socket = null
    this.#isOpen = this.#isUp = false
    if (socket === null) return
    socket.onopen = socket.onmessage = socket.onclose = null
    // Closing a socket that is still connecting is an error in some platforms, and one that nobody handles ends a process.
    socket.onerror = () => {}
    try {
      socket.close(1000)
    } catch {
      // It is closed already.
    }
  }

  #opened(): void {
    this.#isOpen = true
    this.send(PROBE)
    this.#options.onOpen()
  }

  #received(data: unknown): void {
    this.#heardAt = this.#options.timers.now()
    if (this.#isProbing || !this.#isUp) {
      this.#isProbing = false
      this.#watchSilence()
    }
    if (!this.#isUp) {
      this.#isUp = true
      this.#options.onUp()
    }
    // It may have been closed by what was just called.
    if (this.#isUp) this.#options.onMessage(readMessage(data))
  }

  #watchSilence(): void {
    const { timers, silenceMs } = this.#options
    this.#cancelTimer()
    this.#cancelTimer = timers.after(this.#heardAt + silenceMs - timers.now(), () => {
      if (timers.now() - this.#heardAt >= silenceMs) this.probe()
      else this.#watchSilence()
    })
  }

  /** A close follows at once and says more, except in Node 22, where a socket that could not be opened is never closed. */
  #broken(): void {
    this.#cancelTimer()
    this.#cancelTimer = this.#options.timers.after(0, () => this.#end())
  }

  #closed(code: number): void {
    this.#end(afterClose(code) === 'stop' ? 'dismissed' : undefined, code)
  }

  #end(end: LinkEnd = this.#isUp ? 'lost' : 'failed', code: number | null = null): void {
    this.close()
    this.#options.onEnd(end, code)
  }
}
