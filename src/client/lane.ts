import type { Address } from '#domain/address.ts'
import type { TokenUpdate } from '#protocol/tokenUpdate.ts'
import { backoffMs } from './backoff.ts'
import type { Timers } from './clock.ts'
import { Link, type LinkEnd } from './link.ts'
import { MessageBudget } from './messageBudget.ts'
import type { ReadMessage, Refusal } from './messages.ts'
import type { WebSocketLike } from './options.ts'
import { TokenwireError } from './tokenwireError.ts'

/** A connection that lived so long was no accident: the next failure begins with short pauses again. */
const STABLE_MS = 10_000

/** So many failures in a row, and it is time for something else meanwhile. One that took all of its time counts for all. */
const BLOCKED_AFTER = 2

export type LaneState = 'connecting' | 'up' | 'blocked'

export interface LaneOptions {
  readonly open: () => WebSocketLike
  readonly timers: Timers
  readonly random: () => number
  readonly silenceMs: number
  readonly capacity: number
  /** What is held of a token in full; `null`: nothing. */
  readonly held: (token: Address) => number | null
  readonly onState: () => void
  readonly onUpdate: (update: TokenUpdate) => void
  /** The server asked with this close code not to come back. */
  readonly onDismissed: (code: number | null) => void
  /** The server lets this connection have no more; the token is not subscribed on it any more. */
  readonly onFull: (token: Address) => void
  readonly onError: (error: unknown) => void
}

/** Some tokens and the WebSocket that is kept for them: it reconnects, subscribes to what is wanted and unsubscribes from what is not. */
export class Lane {
  readonly #options: LaneOptions
  readonly #wanted = new Set<Address>()
  /** Tokens that the server was asked for over the present link. */
  readonly #asked = new Set<Address>()
  /** Tokens to leave first, as a server offers nothing twice over one connection. */
  readonly #again = new Set<Address>()
  /** Tokens whose wanted and asked may differ. */
  readonly #changed = new Set<Address>()
  #link: Link | null = null
  #state: LaneState = 'connecting'
  #capacity: number
  #failures = 0
  #upAt = 0
  #budget = new MessageBudget()
  #pumping: (() => void) | null = null
  #cancelRetry = () => {}

  constructor(options: LaneOptions) {
    this.#options = options
    this.#capacity = options.capacity
  }

  get state(): LaneState {
    return this.#state
  }

  get tokens(): ReadonlySet<Address> {
    return this.#wanted
  }

  hasRoom(): boolean {
    return this.#wanted.size < this.#capacity
  }

  /** For a token of which nothing is held: if the server still has it subscribed, since it was not time to say otherwise, it is asked anew. */
  add(token: Address): void {
    this.#wanted.add(token)
    this.ask(token)
  }

  remove(token: Address): void {
    this.#wanted.delete(token)
    this.#change(token)
  }

  /** Asks for the newest state again, which comes when it is newer than what is held in full. */
  ask(token: Address): void {
    this.#again.add(token)
    this.#change(token)
  }

  /** Opens the connection now, or finds out now whether the open one lives. */
  wake(): void {
    if (this.#state === 'up') this.#link?.probe()
    else if (this.#link === null) this.connect()
  }

  connect(): void {
    this.#cancelRetry()
    this.#asked.clear()
    this.#again.clear()
    for (const token of this.#wanted) this.#changed.add(token)
    this.#budget = new MessageBudget()
    this.#link = new Link({
      ...this.#options,
      onOpen: () => this.#pump(),
      onUp: () => this.#up(),
      onMessage: message => this.#received(message),
      onEnd: (end, code) => this.#ended(end, code),
    })
    this.#link.start()
  }

  close(): void {
    this.#cancelRetry()
    this.#pumping?.()
    this.#link?.close()
    this.#link = null
  }

  #up(): void {
    this.#upAt = this.#options.timers.now()
    this.#setState('up')
  }

  #ended(end: LinkEnd, code: number | null): void {
    const { timers, random } = this.#options
    this.#link = null
    if (end === 'dismissed') {
      this.#options.onDismissed(code)
      return
    }
    if (end === 'lost' && timers.now() - this.#upAt >= STABLE_MS) this.#failures = 0
    const pauseMs = backoffMs(this.#failures, random)
    this.#failures += end === 'slow' ? BLOCKED_AFTER : 1
    this.#cancelRetry = timers.after(pauseMs, () => this.connect())
    this.#setState(this.#failures >= BLOCKED_AFTER ? 'blocked' : 'connecting')
  }

  #received(message: ReadMessage): void {
    if (message.type === 'token.update') this.#options.onUpdate(message)
    else if (message.type === 'invalid') this.#options.onError(message.error)
    else if (message.type === 'error') this.#refused(message)
  }

  #refused({ code, message, token }: Refusal): void {
    if (code === 'too_many_subscriptions' && this.#asked.has(token as Address)) {
      const refused = token as Address
      this.#asked.delete(refused)
      this.#wanted.delete(refused)
      this.#capacity = this.#asked.size
      this.#options.onFull(refused)
    } else this.#options.onError(new TokenwireError('rejected', `${code}: ${message}`))
  }

  #change(token: Address): void {
    this.#changed.add(token)
    // At the end of the tick, so that a list that is drawn anew sends only what differs.
    if (this.#pumping === null && this.#link !== null) this.#pumpAfter(0)
  }

  #pumpAfter(ms: number): void {
    this.#pumping?.()
    this.#pumping = this.#options.timers.after(ms, () => {
      this.#pumping = null
      this.#pump()
    })
  }

  /** Sends what differs, unsubscribing first so that there is room, as fast as the server allows. */
  #pump(): void {
    if (!this.#link?.isOpen) return
    for (const token of [...this.#changed].sort((a, b) => Number(this.#wanted.has(a)) - Number(this.#wanted.has(b)))) {
      const isWanted = this.#wanted.has(token)
      if (this.#asked.has(token) && (!isWanted || this.#again.has(token))) {
        if (!this.#send({ type: 'unsubscribe', token })) return
        this.#asked.delete(token)
      }
      this.#again.delete(token)
      if (isWanted && !this.#asked.has(token)) {
        if (!this.#send({ type: 'subscribe', token, sequence: this.#options.held(token) })) return
        this.#asked.add(token)
      }
      this.#changed.delete(token)
    }
  }

  /** Returns false when it is too early for another message; the rest follows when it is time. */
  #send(message: object): boolean {
    const pauseMs = this.#budget.take(this.#options.timers.now())
    if (pauseMs > 0) this.#pumpAfter(pauseMs)
    else this.#link?.send(JSON.stringify(message))
    return pauseMs === 0
  }

  #setState(state: LaneState): void {
    if (state === this.#state) return
    this.#state = state
    this.#options.onState()
  }
}
