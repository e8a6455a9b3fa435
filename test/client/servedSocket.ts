import type { WebSocketConnection } from '#gateway/realtime/webSocketConnection.ts'

/** Messages that a socket takes while its client does not read. */
const ROOM = 3

/** The side of a simulated service that its sockets use. */
export interface SocketService {
  readonly sockets: Set<ServedSocket>
  readonly faults: { readonly webSocket: 'fine' | 'refused' }
  connect(socket: ServedSocket): WebSocketConnection
  /** Runs after the delay of a message. */
  later(run: () => void): void
}

/** The `WebSocket` class for a client of the service. */
export function servedSocketsOf(service: SocketService): new () => ServedSocket {
  return class extends ServedSocket {
    constructor() {
      super(service)
    }
  }
}

/** Both ends of a WebSocket. What the server sends arrives in order, and waits while the client does not read. */
export class ServedSocket {
  onopen: ((event: never) => void) | null = null
  onmessage: ((event: never) => void) | null = null
  onerror: ((event: never) => void) | null = null
  onclose: ((event: never) => void) | null = null
  readonly serverSide = {
    send: (text: string | Uint8Array) => {
      this.#waiting.push(typeof text === 'string' ? text : new TextDecoder().decode(text))
      this.#service.later(() => this.#read())
      return this.#waiting.length > ROOM ? 0 : 1
    },
    cork: (run: () => void) => run(),
    getBufferedAmount: () => (this.#waiting.length > ROOM ? 1 : 0),
    ping() {},
    end: (code: number) => this.endedByServer(code),
  }
  readonly #service: SocketService
  #connection: WebSocketConnection | null = null
  readonly #sent: string[] = []
  #waiting: string[] = []
  #isStalled = false

  constructor(service: SocketService) {
    this.#service = service
    service.sockets.add(this)
    service.later(() => {
      if (!service.sockets.has(this)) return
      if (service.faults.webSocket === 'refused') this.endedByServer(1006)
      else {
        this.#connection = service.connect(this)
        this.onopen?.({} as never)
      }
    })
  }

  get isStalled(): boolean {
    return this.#isStalled
  }

  set isStalled(isStalled: boolean) {
    this.#isStalled = isStalled
    if (!isStalled) while (this.#waiting.length > 0) this.#read()
  }

  send(text: string): void {
    this.#sent.push(text)
    this.#service.later(() => this.#connection?.receive(new TextEncoder().encode(this.#sent.shift()), false))
  }

  close(): void {
    if (!this.#service.sockets.delete(this)) return
    this.#waiting = []
    this.#connection?.closed()
    this.#connection = null
  }

  endedByServer(code: number): void {
    if (!this.#service.sockets.has(this)) return
    this.close()
    this.onclose?.({ code, reason: '' } as never)
  }

  #read(): void {
    if (this.#isStalled || this.#connection === null) return
    const wasFull = this.#waiting.length > ROOM
    const text = this.#waiting.shift()
    if (text !== undefined) this.onmessage?.({ data: text } as never)
    if (wasFull && this.#waiting.length <= ROOM) this.#connection?.drained()
  }
}
