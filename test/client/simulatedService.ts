import type { Address } from '#domain/address.ts'
import type { TokenSnapshot } from '#domain/token.ts'
import { encodeUpdate } from '#protocol/encodeUpdate.ts'
import { addressOf, snapshotOf, tradeOf } from '#test/support/snapshots.ts'
import type { SimulatedClock } from './simulatedClock.ts'

/** What goes wrong with what; tests change it at any time. */
export interface Faults {
  /** `mute`: it opens and says nothing. */
  webSocket: 'fine' | 'refused' | 'hanging' | 'mute'
  messages: 'fine' | 'delayed' | 'reordered' | 'duplicated' | 'dropped' | 'corrupt'
  rest: 'fine' | 'unreachable' | 'failing' | 'limited' | 'corrupt'
  stream: 'fine' | 'refused' | 'broken'
}

export const NO_FAULTS: Faults = { webSocket: 'fine', messages: 'fine', rest: 'fine', stream: 'fine' }

const SLOWEST_MS = 3_000

/**
 * A service of several gateways as a client sees it, in memory and in simulated time. Each gateway has its own view of the state, which may stand
 * still for a while; connections and requests come to any of them.
 */
export class SimulatedService {
  readonly tokens: readonly Address[]
  readonly faults: Faults = { ...NO_FAULTS }
  readonly #clock: SimulatedClock
  readonly #random: () => number
  readonly #state = new Map<Address, TokenSnapshot>()
  readonly #views: { isStuck: boolean; readonly state: Map<Address, TokenSnapshot> }[] = []
  readonly sockets = new Set<SimulatedSocket>()
  readonly streams = new Set<SimulatedStream>()
  #sequence = 1_000

  constructor(clock: SimulatedClock, random: () => number, options: { readonly tokens: number; readonly gateways: number }) {
    this.#clock = clock
    this.#random = random
    this.tokens = Array.from({ length: options.tokens }, (_, index) => addressOf(index + 1))
    for (let n = 0; n < options.gateways; n++) this.#views.push({ isStuck: false, state: new Map() })
    for (const token of this.tokens.slice(1)) this.commit(token)
  }

  /** What the database holds. */
  truth(token: Address): TokenSnapshot | undefined {
    return this.#state.get(token)
  }

  commit(token: Address): void {
    const sequence = ++this.#sequence
    const { market } = snapshotOf(token, 0).token
    const trade = { ...tradeOf(token), id: `${sequence}-1`, blockNumber: String(sequence), logIndex: 1 }
    const snapshot = { ...snapshotOf(token, sequence, { market: { ...market, tradeCount: sequence } }), latestTrade: trade }
    this.#state.set(token, snapshot)
    this.#views.forEach((view, gateway) => {
      if (view.isStuck) return
      view.state.set(token, snapshot)
      this.#publish(gateway, token)
    })
  }

  /** A gateway stops to hear of commits, or hears of all that it missed. */
  stick(gateway: number, isStuck: boolean): void {
    const view = this.#views[gateway % this.#views.length]
    if (view === undefined) return
    view.isStuck = isStuck
    if (isStuck) return
    for (const [token, snapshot] of this.#state) {
      if (view.state.get(token) === snapshot) continue
      view.state.set(token, snapshot)
      this.#publish(gateway % this.#views.length, token)
    }
  }

  view(gateway: number, token: Address): TokenSnapshot | undefined {
    return this.#views[gateway]?.state.get(token)
  }

  someGateway(): number {
    return Math.floor(this.#random() * this.#views.length)
  }

  /** Ends all connections: with a close code, or `null`: without a word, nothing more comes and nothing tells. */
  cut(code: number | null): void {
    for (const socket of this.sockets) {
      if (code === null) socket.isDead = true
      else socket.endedByServer(code)
    }
    for (const stream of this.streams) {
      if (code === null) stream.isDead = true
      else stream.end()
    }
  }

  heal(): void {
    Object.assign(this.faults, NO_FAULTS)
    this.#views.forEach((_, gateway) => {
      this.stick(gateway, false)
    })
  }

  /** Runs it after the time that a message takes. */
  later(run: () => void): void {
    this.#clock.setTimeout(run, 1 + this.#random() * 20)
  }

  /** Hands a text of the server to the network, which treats it as the faults say. */
  transport(text: string, deliver: (text: string) => void): void {
    switch (this.faults.messages) {
      case 'fine':
        this.#clock.setTimeout(() => deliver(text), 5)
        break
      case 'delayed':
        this.#clock.setTimeout(() => deliver(text), SLOWEST_MS)
        break
      case 'reordered':
        this.#clock.setTimeout(() => deliver(text), this.#random() * SLOWEST_MS)
        break
      case 'duplicated':
        for (const ms of [5, this.#random() * SLOWEST_MS]) this.#clock.setTimeout(() => deliver(text), ms)
        break
      case 'dropped':
        break
      case 'corrupt':
        this.#clock.setTimeout(() => deliver(text.replace(/"sequence":\d+/, '"sequence":"?"')), 5)
        break
    }
  }

  readonly fetch: typeof fetch = async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const signal = init.signal ?? new AbortController().signal
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))
      this.later(resolve)
    })
    const gateway = this.someGateway()
    if (url.pathname.endsWith('/stream')) return this.#openStream(url, gateway, signal)
    switch (this.faults.rest) {
      case 'unreachable':
        throw new TypeError('fetch failed')
      case 'failing':
        return Response.json({}, { status: 500 })
      case 'limited':
        return Response.json({}, { status: 429, headers: { 'retry-after': '20' } })
      case 'corrupt':
        return Response.json({ data: [{ address: 'nobody' }], nextCursor: null })
      case 'fine': {
        const addresses = (url.searchParams.get('addresses') ?? '').split(',') as Address[]
        return Response.json({ data: addresses.flatMap(address => this.view(gateway, address)?.token ?? []), nextCursor: null })
      }
    }
  }

  #openStream(url: URL, gateway: number, signal: AbortSignal): Response {
    if (this.faults.stream === 'broken') throw new TypeError('fetch failed')
    if (this.faults.stream === 'refused') return Response.json({}, { status: 429, headers: { 'retry-after': '3' } })
    const token = url.pathname.split('/')[3] as Address
    if (this.view(gateway, token) === undefined) return Response.json({}, { status: 404 })
    const stream = new SimulatedStream(this, gateway, token, Number(url.searchParams.get('lastEventId') ?? -1), signal)
    return new Response(stream.body, { headers: { 'content-type': 'text/event-stream' } })
  }

  #publish(gateway: number, token: Address): void {
    for (const socket of this.sockets) if (socket.gateway === gateway) socket.offer(token)
    for (const stream of this.streams) if (stream.gateway === gateway && stream.token === token) stream.offer()
  }
}

function updateText(snapshot: TokenSnapshot): string {
  return new TextDecoder().decode(encodeUpdate(snapshot).bytes)
}

/** The WebSocket of a simulated service, made by a client; see `socketsOf`. */
export class SimulatedSocket {
  readonly readyState = 1
  onopen: ((event: never) => void) | null = null
  onmessage: ((event: never) => void) | null = null
  onerror: ((event: never) => void) | null = null
  onclose: ((event: never) => void) | null = null
  readonly gateway: number
  isDead = false
  readonly #service: SimulatedService
  /** The newest sequence offered per subscribed token: nothing is offered twice. */
  readonly #offered = new Map<Address, number>()

  constructor(service: SimulatedService) {
    this.#service = service
    this.gateway = service.someGateway()
    service.sockets.add(this)
    const { webSocket } = service.faults
    service.later(() => {
      if (webSocket === 'refused') this.endedByServer(1006)
      else if (webSocket !== 'hanging') this.onopen?.({} as never)
    })
    this.isDead = webSocket === 'mute'
  }

  send(text: string): void {
    const { type, token, sequence } = JSON.parse(text) as { type: string; token: Address; sequence?: number | null }
    this.#service.later(() => {
      if (type === 'unsubscribe') {
        this.#offered.delete(token)
        this.#say(JSON.stringify({ type: 'unsubscribed', token }))
        return
      }
      const snapshot = this.#service.view(this.gateway, token)
      if (!this.#offered.has(token)) this.#offered.set(token, sequence ?? -1)
      this.#say(JSON.stringify({ type: 'subscribed', token, sequence: snapshot?.token.sequence ?? null }))
      this.offer(token)
    })
  }

  /** Sends the newest state, if it is subscribed and was not offered. */
  offer(token: Address): void {
    const snapshot = this.#service.view(this.gateway, token)
    const offered = this.#offered.get(token)
    if (snapshot === undefined || offered === undefined || snapshot.token.sequence <= offered) return
    this.#offered.set(token, snapshot.token.sequence)
    this.#say(updateText(snapshot))
  }

  endedByServer(code: number): void {
    if (this.isDead || !this.#service.sockets.delete(this)) return
    this.onclose?.({ code } as never)
  }

  close(): void {
    this.#service.sockets.delete(this)
  }

  #say(text: string): void {
    this.#service.transport(text, arrived => {
      if (!this.isDead && this.#service.sockets.has(this)) this.onmessage?.({ data: arrived } as never)
    })
  }
}

/** The class that a client of the service gets as its `WebSocket`. */
export function socketsOf(service: SimulatedService): new (url: string) => SimulatedSocket {
  return class extends SimulatedSocket {
    constructor() {
      super(service)
    }
  }
}

class SimulatedStream {
  readonly body: ReadableStream<Uint8Array>
  readonly gateway: number
  readonly token: Address
  isDead = false
  readonly #service: SimulatedService
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null
  #offered: number

  constructor(service: SimulatedService, gateway: number, token: Address, held: number, signal: AbortSignal) {
    this.#service = service
    this.gateway = gateway
    this.token = token
    this.#offered = held
    this.body = new ReadableStream({
      start: controller => {
        this.#controller = controller
      },
    })
    service.streams.add(this)
    signal.addEventListener('abort', () => {
      if (service.streams.delete(this)) this.#controller?.error(new DOMException('aborted', 'AbortError'))
    })
    this.offer()
  }

  offer(): void {
    const snapshot = this.#service.view(this.gateway, this.token)
    if (snapshot === undefined || snapshot.token.sequence <= this.#offered) return
    this.#offered = snapshot.token.sequence
    this.#service.transport(updateText(snapshot), text => {
      if (this.isDead || !this.#service.streams.has(this)) return
      const event = `id: ${snapshot.token.sequence}\nevent: token.update\ndata: ${text}\n\n`
      this.#controller?.enqueue(new TextEncoder().encode(event))
    })
  }

  end(): void {
    if (!this.isDead && this.#service.streams.delete(this)) this.#controller?.close()
  }
}
