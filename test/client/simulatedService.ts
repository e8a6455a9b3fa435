import type { Address } from '#domain/address.ts'
import type { TokenSnapshot } from '#resources/token.ts'
import { addressOf, recentOf, snapshotOf, tokenOf, tradeOf } from '#test/support/snapshots.ts'
import type { SimulatedClock } from './simulatedClock.ts'
import { type Faults, type SimulatedNetwork, type SimulatedSocket, SimulatedStream } from './simulatedConnections.ts'

export const NO_FAULTS: Faults = { webSocket: 'fine', messages: 'fine', rest: 'fine', stream: 'fine' }

const SLOWEST_MS = 3_000

/**
 * A service with several gateways, in memory and in simulated time. Each gateway has its own view of the state, which can fall
 * behind. Connections and requests go to a random gateway.
 */
export class SimulatedService implements SimulatedNetwork {
  readonly tokens: readonly Address[]
  readonly faults: Faults = { ...NO_FAULTS }
  readonly #clock: SimulatedClock
  readonly #random: () => number
  readonly #state = new Map<Address, TokenSnapshot>()
  /** All states by their sequence. */
  readonly committed = new Map<number, TokenSnapshot>()
  readonly #views: { isStuck: boolean; readonly state: Map<Address, TokenSnapshot> }[] = []
  readonly sockets = new Set<SimulatedSocket>()
  readonly streams = new Set<SimulatedStream>()
  #sequence = 1_000
  /** How many changes came to the client as deltas. */
  deltas = 0

  constructor(clock: SimulatedClock, random: () => number, options: { readonly tokens: number; readonly gateways: number }) {
    this.#clock = clock
    this.#random = random
    this.tokens = Array.from({ length: options.tokens }, (_, index) => addressOf(index + 1))
    for (let n = 0; n < options.gateways; n++) this.#views.push({ isStuck: false, state: new Map() })
    for (const token of this.tokens.slice(1)) this.commit(token)
  }

  /** The state in the database. */
  truth(token: Address): TokenSnapshot | undefined {
    return this.#state.get(token)
  }

  commit(token: Address): void {
    const sequence = ++this.#sequence
    const before = this.#state.get(token) ?? snapshotOf(token, 0)
    const { market } = before.token
    const trade = { ...tradeOf(token), id: `${sequence}-1`, blockNumber: String(sequence), logIndex: 1 }
    // Only some of it changes each time, so that a change that is missed leaves something wrong.
    const name = sequence % 2 === 0 ? `name ${sequence}` : before.token.name
    const snapshot = {
      token: tokenOf(token, sequence, { name, market: { ...market, tradeCount: sequence } }),
      recent: recentOf([trade]),
      holders: before.holders.map((holder, index) => (index === sequence % 20 ? { ...holder, balance: String(sequence) } : holder)),
    }
    this.#state.set(token, snapshot)
    this.committed.set(sequence, snapshot)
    this.#views.forEach((view, gateway) => {
      if (view.isStuck) return
      view.state.set(token, snapshot)
      this.#publish(gateway, token)
    })
  }

  /** A stuck gateway receives no commits. When it is released, it receives all that it missed. */
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

  /** Ends all connections with a close code. `null`: silently, so that they stay open and receive nothing. */
  cut(code: number | null, reason = ''): void {
    for (const socket of this.sockets) {
      if (code === null) socket.isDead = true
      else socket.endedByServer(code, reason)
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

  later(run: () => void): void {
    this.#clock.setTimeout(run, 1 + this.#random() * 20)
  }

  transport(text: string, arrive: (text: string) => void): void {
    const deliver = (arrived: string) => {
      if (arrived.includes('"token.delta"')) this.deltas++
      arrive(arrived)
    }
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
        return Response.json({ data: [{ address: 'nobody' }], nextCursor: null, asOfBlock: '1' })
      case 'fine': {
        const addresses = (url.searchParams.get('addresses') ?? '').split(',') as Address[]
        return Response.json({
          data: addresses.flatMap(address => this.view(gateway, address)?.token ?? []),
          nextCursor: null,
          asOfBlock: '1',
        })
      }
    }
  }

  #openStream(url: URL, gateway: number, signal: AbortSignal): Response {
    if (this.faults.stream === 'broken') throw new TypeError('fetch failed')
    if (this.faults.stream === 'refused') return Response.json({}, { status: 429, headers: { 'retry-after': '3' } })
    const token = url.pathname.split('/')[3] as Address
    if (this.view(gateway, token) === undefined) return Response.json({}, { status: 404 })
    const stream = new SimulatedStream(this, gateway, token, url.searchParams, signal)
    return new Response(stream.body, { headers: { 'content-type': 'text/event-stream' } })
  }

  #publish(gateway: number, token: Address): void {
    for (const socket of this.sockets) if (socket.gateway === gateway) socket.offer(token)
    for (const stream of this.streams) if (stream.gateway === gateway && stream.token === token) stream.offer()
  }
}
