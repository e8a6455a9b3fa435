import type { Address } from '#domain/address.ts'
import type { TokenSnapshot } from '#resources/tokenSnapshot.ts'
import { updateBytes } from '#test/support/frames.ts'

/** The current faults. Tests change them at any time. */
export interface Faults {
  /** `mute`: the socket opens and sends nothing. */
  webSocket: 'fine' | 'refused' | 'hanging' | 'mute'
  messages: 'fine' | 'delayed' | 'reordered' | 'duplicated' | 'dropped' | 'corrupt'
  rest: 'fine' | 'unreachable' | 'failing' | 'limited' | 'corrupt'
  stream: 'fine' | 'refused' | 'broken'
}

/** The side of a simulated service that its connections use. */
export interface SimulatedNetwork {
  readonly faults: Faults
  readonly sockets: Set<SimulatedSocket>
  readonly streams: Set<SimulatedStream>
  /** A gateway's view of a token. */
  view(gateway: number, token: Address): TokenSnapshot | undefined
  /** A random gateway. */
  someGateway(): number
  /** Runs after the delay of a message. */
  later(run: () => void): void
  /** Sends a message of the server over the faulty network. */
  transport(text: string, deliver: (text: string) => void): void
}

function updateText(snapshot: TokenSnapshot): string {
  return new TextDecoder().decode(updateBytes(snapshot))
}

type SentMessage =
  | { readonly type: 'ping' }
  | { readonly type: 'unsubscribe'; readonly token: Address }
  | ({ readonly type: 'subscribe'; readonly sequence: number | null } & (
      | { readonly token: Address }
      | { readonly tokens: readonly Address[] }
    ))

/** A WebSocket to a simulated service; see `socketsOf`. */
export class SimulatedSocket {
  readonly readyState = 1
  onopen: ((event: never) => void) | null = null
  onmessage: ((event: never) => void) | null = null
  onerror: ((event: never) => void) | null = null
  onclose: ((event: never) => void) | null = null
  readonly gateway: number
  isDead = false
  readonly #network: SimulatedNetwork
  /** The newest sequence offered per subscribed token. No sequence is offered twice. */
  readonly #offered = new Map<Address, number>()

  constructor(network: SimulatedNetwork) {
    this.#network = network
    this.gateway = network.someGateway()
    network.sockets.add(this)
    const { webSocket } = network.faults
    network.later(() => {
      if (webSocket === 'refused') this.endedByServer(1006)
      else if (webSocket !== 'hanging') this.onopen?.({} as never)
    })
    this.isDead = webSocket === 'mute'
  }

  send(text: string): void {
    const message = JSON.parse(text) as SentMessage
    this.#network.later(() => {
      switch (message.type) {
        case 'ping':
          this.#say(JSON.stringify({ type: 'pong', timestamp: new Date(0).toISOString() }))
          break
        case 'unsubscribe':
          this.#offered.delete(message.token)
          this.#say(JSON.stringify({ type: 'unsubscribed', token: message.token }))
          break
        case 'subscribe':
          for (const token of 'tokens' in message ? message.tokens : [message.token]) this.#subscribe(token, message.sequence)
      }
    })
  }

  #subscribe(token: Address, sequence: number | null): void {
    const snapshot = this.#network.view(this.gateway, token)
    if (!this.#offered.has(token)) this.#offered.set(token, sequence ?? -1)
    this.#say(JSON.stringify({ type: 'subscribed', token, sequence: snapshot?.token.sequence ?? null }))
    this.offer(token)
  }

  /** Sends the newest state of a subscribed token unless it was offered before. */
  offer(token: Address): void {
    const snapshot = this.#network.view(this.gateway, token)
    const offered = this.#offered.get(token)
    if (snapshot === undefined || offered === undefined || snapshot.token.sequence <= offered) return
    this.#offered.set(token, snapshot.token.sequence)
    this.#say(updateText(snapshot))
  }

  endedByServer(code: number, reason = ''): void {
    if (this.isDead || !this.#network.sockets.delete(this)) return
    this.onclose?.({ code, reason } as never)
  }

  close(): void {
    this.#network.sockets.delete(this)
  }

  #say(text: string): void {
    this.#network.transport(text, arrived => {
      if (!this.isDead && this.#network.sockets.has(this)) this.onmessage?.({ data: arrived } as never)
    })
  }
}

/** The `WebSocket` class for a client of the network. */
export function socketsOf(network: SimulatedNetwork): new (url: string) => SimulatedSocket {
  return class extends SimulatedSocket {
    constructor() {
      super(network)
    }
  }
}

export class SimulatedStream {
  readonly body: ReadableStream<Uint8Array>
  readonly gateway: number
  readonly token: Address
  isDead = false
  readonly #network: SimulatedNetwork
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null
  #offered: number

  constructor(network: SimulatedNetwork, gateway: number, token: Address, held: number, signal: AbortSignal) {
    this.#network = network
    this.gateway = gateway
    this.token = token
    this.#offered = held
    this.body = new ReadableStream({
      start: controller => {
        this.#controller = controller
      },
    })
    network.streams.add(this)
    signal.addEventListener('abort', () => {
      if (network.streams.delete(this)) this.#controller?.error(new DOMException('aborted', 'AbortError'))
    })
    this.offer()
  }

  offer(): void {
    const snapshot = this.#network.view(this.gateway, this.token)
    if (snapshot === undefined || snapshot.token.sequence <= this.#offered) return
    this.#offered = snapshot.token.sequence
    this.#network.transport(updateText(snapshot), text => {
      if (this.isDead || !this.#network.streams.has(this)) return
      const event = `id: ${snapshot.token.sequence}\nevent: token.update\ndata: ${text}\n\n`
      this.#controller?.enqueue(new TextEncoder().encode(event))
    })
  }

  end(): void {
    if (!this.isDead && this.#network.streams.delete(this)) this.#controller?.close()
  }
}
