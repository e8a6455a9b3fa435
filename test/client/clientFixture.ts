import { createTokenwire } from '#client/createTokenwire.ts'
import type { ClientClock, TokenwireOptions } from '#client/options.ts'
import type { Tokenwire } from '#client/tokenwire.ts'
import type { WatchedToken } from '#client/watch/watch.ts'
import type { Address } from '#domain/address.ts'
import type { Token } from '#resources/token.ts'
import type { RecentTrades } from '#resources/trades.ts'
import { RealtimeFixture } from '#test/gateway/realtime/startRealtime.ts'
import { snapshotOf } from '#test/support/snapshots.ts'
import { FaultyProxy } from './faultyProxy.ts'

/**
 * A clock that runs faster, for tests of long pauses. On a busy machine a server can then seem dead, so such a test must not count
 * connections.
 */
export class FastClock implements ClientClock {
  readonly #factor: number
  readonly #waiting = new Set<NodeJS.Timeout>()

  constructor(factor: number) {
    this.#factor = factor
  }

  now(): number {
    return performance.now() * this.#factor
  }

  get waiting(): number {
    return this.#waiting.size
  }

  setTimeout(run: () => void, ms: number): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.#waiting.delete(timer)
      run()
    }, ms / this.#factor)
    this.#waiting.add(timer)
    return timer
  }

  clearTimeout(timer: unknown): void {
    this.#waiting.delete(timer as NodeJS.Timeout)
    clearTimeout(timer as NodeJS.Timeout)
  }
}

/**
 * For tests that count messages or states: where a busy machine is late, a client asks REST, whose state comes again with holders and makes
 * the client subscribe once more.
 */
export function neverAnswers(): Promise<Response> {
  return new Promise(() => {})
}

/** A real gateway over tokens in memory, a faulty proxy before it, and clients of the proxy. */
export class ClientFixture {
  readonly service: RealtimeFixture
  readonly proxy: FaultyProxy
  readonly #clients: Tokenwire[] = []

  private constructor(service: RealtimeFixture, proxy: FaultyProxy) {
    this.service = service
    this.proxy = proxy
  }

  static async start(config: Parameters<typeof RealtimeFixture.start>[0] = {}): Promise<ClientFixture> {
    const service = await RealtimeFixture.start({ maxConnectionsPerIp: 100, ...config })
    return new ClientFixture(service, await FaultyProxy.to(service.gateway.url))
  }

  client(options: Partial<TokenwireOptions> = {}): Tokenwire {
    const client = createTokenwire({ url: this.proxy.url, ...options })
    this.#clients.push(client)
    return client
  }

  /** Stores a token's state for REST and for actors that activate later. Subscribers get no update. */
  store(token: Address, sequence: number, overrides: Partial<Token> = {}): void {
    this.service.store(token, sequence, overrides)
    this.#keep(token, sequence, overrides)
  }

  /** Commits a token's state. */
  commit(token: Address, sequence: number, overrides: Partial<Token> = {}, recent?: RecentTrades): void {
    const snapshot = snapshotOf(token, sequence, overrides)
    this.service.commit(recent === undefined ? snapshot : { ...snapshot, recent })
    this.#keep(token, sequence, overrides)
  }

  #keep(token: Address, sequence: number, overrides: Partial<Token>): void {
    const { stored } = this.service.gateway.reads
    stored.tokens = [...stored.tokens.filter(({ address }) => address !== token), snapshotOf(token, sequence, overrides).token]
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) client.close()
    await this.proxy.close()
    await this.service.stop()
  }
}

/** All states of a watch, and promises for later ones. */
export class Seen {
  readonly states: WatchedToken[] = []
  readonly listen = (state: WatchedToken): void => {
    this.states.push(state)
    for (const look of this.#looks) look()
  }
  readonly #looks = new Set<() => void>()

  get sequences(): readonly number[] {
    return this.states.map(state => state.sequence)
  }

  /** Resolves with the first state of this sequence, from this source when one is given. */
  reaches(sequence: number, source?: WatchedToken['source']): Promise<WatchedToken> {
    return new Promise(resolve => {
      const look = () => {
        const found = this.states.find(state => state.sequence === sequence && (source === undefined || state.source === source))
        if (found === undefined) return
        this.#looks.delete(look)
        resolve(found)
      }
      this.#looks.add(look)
      look()
    })
  }
}

/** Resolves when the client is in this state. */
export function inState(client: Tokenwire, wanted: Tokenwire['state']): Promise<void> {
  return new Promise(resolve => {
    const forget = client.onState(state => {
      if (state === wanted) done()
    })
    const done = () => {
      forget()
      resolve()
    }
    if (client.state === wanted) done()
  })
}
