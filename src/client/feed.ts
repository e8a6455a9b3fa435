import type { Address } from '#domain/address.ts'
import type { Calls } from './calls.ts'
import type { Timers } from './clock.ts'
import { Fallback } from './fallback.ts'
import { accept, type Held, type Incoming } from './held.ts'
import { Lane } from './lane.ts'
import type { EventSourceLike, WebSocketLike } from './options.ts'
import { Reconciler } from './reconciler.ts'
import type { ConnectionState } from './tokenwire.ts'
import { TokenwireError } from './tokenwireError.ts'
import type { Watcher } from './watcher.ts'

/** How long the last connection is kept when nothing is watched: a page that draws anew watches again at once. */
const LINGER_MS = 5_000

/** A token of which nothing was heard for so long, because its connection is still being made, is asked for over REST. */
const PATIENCE_MS = 2_000

export interface FeedOptions {
  readonly openSocket: () => WebSocketLike
  /** Of the service, without a slash at the end. */
  readonly base: string
  readonly fetch: typeof globalThis.fetch
  readonly EventSource: (new (url: string) => EventSourceLike) | undefined
  readonly calls: Pick<Calls, 'tokens'>
  readonly timers: Timers
  readonly random: () => number
  readonly silenceMs: number
  readonly reconcileMs: number
  readonly pollMs: number
  readonly maxSubscriptions: number
  readonly maxConnections: number
  readonly maxEventStreams: number
  readonly keepConnected: boolean
  readonly isHidden: () => boolean
  readonly onState: (state: ConnectionState) => void
  readonly onError: (error: unknown) => void
}

interface Entry {
  readonly watchers: Set<Watcher>
  held: Held | null
  lane: Lane | null
}

/** Everything that is watched, what is held of it, and the connections that it comes over. */
export class Feed {
  readonly #options: FeedOptions
  readonly #entries = new Map<Address, Entry>()
  readonly #lanes = new Set<Lane>()
  readonly #fallback: Fallback
  readonly #reconciler: Reconciler
  #state: ConnectionState = 'offline'
  #dismissed: TokenwireError | null = null
  #isLingering = false
  #isPatient = false

  constructor(options: FeedOptions) {
    this.#options = options
    this.#fallback = new Fallback({
      ...options,
      held: token => this.#heldInFull(token),
      onUpdate: update => this.take(update.token.address, { source: 'eventStream', update }),
      onState: () => this.#update(),
    })
    this.#reconciler = new Reconciler({
      ...options,
      watched: () => this.#entries.keys(),
      unserved: () => this.#fallback.unserved(),
      onToken: token => this.#reconciled(token.address, { source: 'rest', token }),
      onPolled: ok => this.#fallback.polled(ok),
    })
    if (options.keepConnected) this.#openLane()
  }

  get state(): ConnectionState {
    return this.#state
  }

  held(token: Address): Held | null {
    return this.#entries.get(token)?.held ?? null
  }

  #heldInFull(token: Address): number | null {
    return this.held(token)?.fullSequence ?? null
  }

  add(token: Address, watcher: Watcher): void {
    const known = this.#entries.get(token)
    if (known !== undefined) {
      known.watchers.add(watcher)
      return
    }
    const entry: Entry = { watchers: new Set([watcher]), held: null, lane: null }
    this.#entries.set(token, entry)
    this.#reconciler.start()
    this.#assign(token, entry)
    if (!this.#isPatient) this.#options.timers.after(PATIENCE_MS, () => this.#askForUnheard())
    this.#isPatient = true
    this.#update()
  }

  /** The token is let go at the end of the tick, so that whoever watches it again at once finds what is held. */
  remove(token: Address, watcher: Watcher): void {
    const entry = this.#entries.get(token)
    if (!entry?.watchers.delete(watcher) || entry.watchers.size > 0) return
    if (entry.lane === null) this.#drop(token, entry)
    else this.#options.timers.after(0, () => this.#drop(token, entry))
  }

  #drop(token: Address, entry: Entry): void {
    if (entry.watchers.size > 0 || this.#entries.get(token) !== entry) return
    this.#entries.delete(token)
    entry.lane?.remove(token)
    if (!this.#isLingering) this.#options.timers.after(LINGER_MS, () => this.#closeUnused())
    this.#isLingering = true
    this.#update()
  }

  /** Something came of a token. */
  take(token: Address, incoming: Incoming): void {
    const entry = this.#entries.get(token)
    const held = entry === undefined ? null : accept(entry.held, incoming)
    if (entry === undefined || held === null) return
    entry.held = held
    for (const watcher of Array.from(entry.watchers)) watcher.deliver(held)
  }

  /** Finds out now how things are, and compares everything with REST. */
  wake(): void {
    for (const lane of this.#lanes) lane.wake()
    this.#fallback.wake()
    // What is asked for now and then is asked for at once when that begins anew.
    this.#reconciler.poll(false)
    this.#update()
    this.#reconciler.soon(this.#entries.keys())
  }

  /** What `wake` does, and after the server asked not to come back. */
  reconnect(): void {
    this.#dismissed = null
    if (this.#options.keepConnected && this.#lanes.size === 0) this.#openLane()
    this.wake()
  }

  close(): void {
    this.#shut(null)
  }

  /** Gives a token to a connection that has room for it, a new one if need be. */
  #assign(token: Address, entry: Entry): void {
    entry.lane = this.#dismissed === null ? ([...this.#lanes].find(lane => lane.hasRoom()) ?? this.#openLane()) : null
    if (entry.lane !== null) {
      entry.lane.add(token)
      return
    }
    const error = this.#dismissed ?? new TokenwireError('too_many_watches', 'all connections are full')
    // When the call that watches has returned.
    this.#options.timers.after(0, () => {
      if (this.#entries.get(token) === entry) for (const watcher of Array.from(entry.watchers)) watcher.end(error)
    })
  }

  #openLane(): Lane | null {
    const { maxConnections, maxSubscriptions: capacity, openSocket: open } = this.#options
    if (this.#lanes.size >= maxConnections) return null
    const lane: Lane = new Lane({
      ...this.#options,
      open,
      capacity,
      held: token => this.#heldInFull(token),
      onState: () => this.#laneChanged(lane),
      onUpdate: update => this.take(update.token.address, { source: 'webSocket', update }),
      onDismissed: status => {
        this.#dismissed = new TokenwireError('dismissed', 'the server asked not to come back', { status })
        this.#shut(this.#dismissed)
      },
      onFull: token => {
        const entry = this.#entries.get(token)
        if (entry !== undefined) this.#assign(token, entry)
      },
    })
    this.#lanes.add(lane)
    lane.connect()
    this.#update()
    return lane
  }

  #laneChanged(lane: Lane): void {
    if (lane.state === 'up') this.#reconciler.soon(lane.tokens)
    this.#update()
  }

  /** What REST knows better, the stream has missed: it is asked for the whole of it, until that has come. */
  #reconciled(token: Address, incoming: Incoming): void {
    this.take(token, incoming)
    const entry = this.#entries.get(token)
    if (entry?.held?.fullSequence !== entry?.held?.state.sequence) entry?.lane?.ask(token)
  }

  #askForUnheard(): void {
    this.#isPatient = false
    const unheard = [...this.#entries].filter(([, { held, lane }]) => held === null && lane?.state !== 'up').map(([token]) => token)
    this.#reconciler.soon(unheard, 0)
  }

  #closeUnused(): void {
    this.#isLingering = false
    for (const lane of this.#lanes) {
      if (lane.tokens.size > 0 || (this.#options.keepConnected && this.#lanes.size === 1)) continue
      lane.close()
      this.#lanes.delete(lane)
    }
    this.#update()
  }

  #shut(error: TokenwireError | null): void {
    for (const lane of this.#lanes) lane.close()
    this.#lanes.clear()
    const entries = [...this.#entries.values()]
    this.#entries.clear()
    for (const { watchers } of entries) for (const watcher of Array.from(watchers)) watcher.end(error)
    this.#update()
  }

  /** Lets the fallback bring what no WebSocket does, and tells of the state that results. */
  #update(): void {
    const blocked = [...this.#lanes].filter(lane => lane.state === 'blocked')
    this.#fallback.serve(new Set(blocked.flatMap(lane => [...lane.tokens])))
    this.#reconciler.poll(blocked.length > 0)
    const state = this.#stateNow(blocked.length > 0)
    if (state === this.#state) return
    this.#state = state
    this.#options.onState(state)
  }

  #stateNow(isBlocked: boolean): ConnectionState {
    if (this.#lanes.size === 0) return 'offline'
    if (!isBlocked) return [...this.#lanes].every(lane => lane.state === 'up') ? 'live' : 'connecting'
    const isWorking = this.#fallback.isWorking
    if (isWorking === null) return this.#state === 'offline' ? 'offline' : 'connecting'
    return isWorking ? 'fallback' : 'offline'
  }
}
