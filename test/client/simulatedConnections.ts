import type { Address } from '#domain/address.ts'
import { encodeDelta } from '#protocol/encodeDelta.ts'
import { encodeUpdate, type UpdatedState } from '#protocol/encodeUpdate.ts'
import type { TokenSnapshot } from '#resources/token.ts'
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

/** The states of one token that one connection is sent. */
class SentStates {
  readonly #withDeltas: boolean
  #sent: UpdatedState | null = null

  constructor(withDeltas: boolean) {
    this.#withDeltas = withDeltas
  }

  /** The message of a newer state. */
  next(snapshot: TokenSnapshot): string {
    const { update } = encodeUpdate(snapshot)
    const { trades } = snapshot.recent
    const delta = this.#withDeltas && this.#sent !== null ? encodeDelta(this.#sent, update, { trades, replacedFrom: null }) : null
    this.#sent = update
    return new TextDecoder().decode(delta ?? updateBytes(snapshot))
  }
}

type SentMessage =
  | { readonly type: 'ping' }
  | { readonly type: 'unsubscribe'; readonly token: Address }
  | ({ readonly type: 'subscribe'; readonly sequence: number | null; readonly delta?: boolean } & (
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
  readonly #sent = new Map<Address, SentStates>()
  readonly #underWay: SentMessage[] = []

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

  /** The message arrives after a random delay, but after the ones before it. */
  send(text: string): void {
    this.#underWay.push(JSON.parse(text) as SentMessage)
    this.#network.later(() => {
      const message = this.#underWay.shift()
      if (message === undefined) return
      switch (message.type) {
        case 'ping':
          this.#say(JSON.stringify({ type: 'pong', timestamp: new Date(0).toISOString() }))
          break
        case 'unsubscribe':
          this.#offered.delete(message.token)
          this.#sent.delete(message.token)
          this.#say(JSON.stringify({ type: 'unsubscribed', token: message.token }))
          break
        case 'subscribe':
          for (const token of 'tokens' in message ? message.tokens : [message.token]) this.#subscribe(token, message)
      }
    })
  }

  #subscribe(token: Address, { sequence, delta = false }: { readonly sequence: number | null; readonly delta?: boolean }): void {
    const snapshot = this.#network.view(this.gateway, token)
    if (!this.#offered.has(token)) this.#offered.set(token, sequence ?? -1)
    if (!this.#sent.has(token)) this.#sent.set(token, new SentStates(delta))
    this.#say(JSON.stringify({ type: 'subscribed', token, sequence: snapshot?.token.sequence ?? null }))
    this.offer(token)
  }

  /** Sends the newest state of a subscribed token unless it was offered before. */
  offer(token: Address): void {
    const snapshot = this.#network.view(this.gateway, token)
    const offered = this.#offered.get(token)
    const sent = this.#sent.get(token)
    if (snapshot === undefined || offered === undefined || sent === undefined || snapshot.token.sequence <= offered) return
    this.#offered.set(token, snapshot.token.sequence)
    this.#say(sent.next(snapshot))
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
  readonly #sent: SentStates
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null
  #offered: number

  constructor(network: SimulatedNetwork, gateway: number, token: Address, parameters: URLSearchParams, signal: AbortSignal) {
    this.#network = network
    this.gateway = gateway
    this.token = token
    this.#offered = Number(parameters.get('lastEventId') ?? -1)
    this.#sent = new SentStates(parameters.get('delta') === 'true')
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
    this.#network.transport(this.#sent.next(snapshot), text => {
      if (this.isDead || !this.#network.streams.has(this)) return
      const event = `id: ${snapshot.token.sequence}\ndata: ${text}\n\n`
      this.#controller?.enqueue(new TextEncoder().encode(event))
    })
  }

  end(): void {
    if (!this.isDead && this.#network.streams.delete(this)) this.#controller?.close()
  }
}
