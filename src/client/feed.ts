import type { Address } from '#domain/address.ts'
import type { Timers } from './clock.ts'
import { accept, type Held, type Incoming } from './held.ts'
import { Lane } from './lane.ts'
import type { ServerMessage } from './messages.ts'
import type { WebSocketLike } from './options.ts'
import type { ConnectionState } from './tokenwire.ts'
import { TokenwireError } from './tokenwireError.ts'
import type { Watcher } from './watcher.ts'

/** How long the last connection is kept when nothing is watched: a page that draws anew watches again at once. */
const LINGER_MS = 5_000

export interface FeedOptions {
  readonly open: () => WebSocketLike
  readonly timers: Timers
  readonly random: () => number
  readonly silenceMs: number
  readonly maxSubscriptions: number
  readonly maxConnections: number
  readonly keepConnected: boolean
  readonly onState: (state: ConnectionState) => void
  readonly onError: (error: unknown) => void
}

interface Entry {
  readonly watchers: Set<Watcher>
  held: Held | null
  lane: Lane | null
}

/** Everything that is watched, and the connections that it comes over. */
export class Feed {
  readonly #options: FeedOptions
  readonly #entries = new Map<Address, Entry>()
  readonly #lanes = new Set<Lane>()
  #state: ConnectionState = 'offline'
  #cancelLinger = () => {}

  constructor(options: FeedOptions) {
    this.#options = options
    if (options.keepConnected) this.#openLane()
  }

  get state(): ConnectionState {
    return this.#state
  }

  held(token: Address): Held | null {
    return this.#entries.get(token)?.held ?? null
  }

  add(token: Address, watcher: Watcher): void {
    let entry = this.#entries.get(token)
    if (entry === undefined) {
      entry = { watchers: new Set(), held: null, lane: null }
      this.#entries.set(token, entry)
      this.#assign(token, entry)
    }
    entry.watchers.add(watcher)
  }

  remove(token: Address, watcher: Watcher): void {
    const entry = this.#entries.get(token)
    if (entry === undefined || !entry.watchers.delete(watcher) || entry.watchers.size > 0) return
    this.#entries.delete(token)
    entry.lane?.remove(token)
    this.#cancelLinger()
    this.#cancelLinger = this.#options.timers.after(LINGER_MS, () => this.#closeUnused())
  }

  /** Something came of a token. Returns whether it is news. */
  take(token: Address, incoming: Incoming): boolean {
    const entry = this.#entries.get(token)
    if (entry === undefined) return false
    const held = accept(entry.held, incoming)
    if (held === null) return false
    entry.held = held
    for (const watcher of [...entry.watchers]) watcher.deliver(held)
    return true
  }

  wake(): void {
    for (const lane of this.#lanes) lane.wake()
  }

  close(): void {
    for (const lane of this.#lanes) lane.close()
    this.#lanes.clear()
    for (const { watchers } of this.#entries.values()) for (const watcher of [...watchers]) watcher.end(null)
    this.#entries.clear()
    this.#update()
  }

  #assign(token: Address, entry: Entry): void {
    const lane = [...this.#lanes].find(lane => lane.hasRoom()) ?? this.#openLane()
    entry.lane = lane
    if (lane !== null) {
      lane.add(token)
      return
    }
    const { maxConnections, maxSubscriptions } = this.#options
    const error = new TokenwireError('too_many_watches', `${maxConnections} connections of ${maxSubscriptions} tokens are all there are`)
    // After the call that watches has returned.
    this.#options.timers.after(0, () => {
      if (this.#entries.get(token) === entry) for (const watcher of [...entry.watchers]) watcher.end(error)
    })
  }

  #openLane(): Lane | null {
    const { maxConnections, maxSubscriptions: capacity, onError } = this.#options
    if (this.#lanes.size >= maxConnections) return null
    const lane = new Lane({
      ...this.#options,
      capacity,
      held: token => this.held(token)?.fullSequence ?? null,
      onState: () => this.#update(),
      onMessage: message => this.#received(message),
      onFull: token => {
        const entry = this.#entries.get(token)
        if (entry !== undefined) this.#assign(token, entry)
      },
      onError,
    })
    this.#lanes.add(lane)
    lane.connect()
    this.#update()
    return lane
  }

  #closeUnused(): void {
    for (const lane of this.#lanes) {
      if (lane.tokens.size > 0 || (this.#options.keepConnected && this.#lanes.size === 1)) continue
      lane.close()
      this.#lanes.delete(lane)
    }
    this.#update()
  }

  #received(message: ServerMessage): void {
    if (message.type === 'token.update') this.take(message.token.address, { source: 'webSocket', update: message })
  }

  #update(): void {
    const states = new Set([...this.#lanes].map(lane => lane.state))
    const state: ConnectionState =
      states.size === 0 || states.has('dismissed') || states.has('blocked') ? 'offline' : states.has('connecting') ? 'connecting' : 'live'
    if (state === this.#state) return
    this.#state = state
    this.#options.onState(state)
  }
}
