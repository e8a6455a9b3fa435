import type { Address } from '#domain/address.ts'
import type { TokenUpdate } from '#protocol/tokenUpdate.ts'
import { backoffMs } from './backoff.ts'
import { ClientError } from './clientError.ts'
import type { ClientContext } from './context.ts'
import { FeedSocket, type SocketClose, type SocketEnd } from './feedSocket.ts'
import { MessageBudget } from './messageBudget.ts'
import type { ReadMessage, Refusal } from './messages.ts'
import { Timer } from './timers.ts'

/** After a connection that lived this long, the back-off begins again with short pauses. */
export const STABLE_MS = 10_000

/** Failures in a row after which the fallback takes over. One that took `ANSWER_MS` counts for all. */
const BLOCKED_AFTER = 2

export interface FeedConnectionEvents {
  /** Sequence of the newest complete state of a token; `null` when there is none. */
  readonly sequenceOf: (token: Address) => number | null
  readonly onState: () => void
  readonly onUpdate: (update: TokenUpdate) => void
  /** The server closed with this code, which asks the client not to reconnect. */
  readonly onDismissed: (code: number | null) => void
  /** The server refused one subscription more. The token is no longer part of this connection. */
  readonly onFull: (token: Address) => void
}

/** The subscriptions of some tokens and the WebSocket that carries them, which is opened again whenever it breaks. */
export class FeedConnection {
  readonly #context: ClientContext
  readonly #events: FeedConnectionEvents
  readonly #wanted = new Set<Address>()
  readonly #subscribed = new Set<Address>()
  /** To be unsubscribed and subscribed again: the server sends no state twice over one connection. */
  readonly #stale = new Set<Address>()
  #socket: FeedSocket | null = null
  #state: 'connecting' | 'live' | 'blocked' = 'connecting'
  #capacity: number
  #failures = 0
  #liveSinceMs = 0
  #budget = new MessageBudget()
  readonly #syncTimer: Timer
  readonly #retryTimer: Timer

  constructor(context: ClientContext, events: FeedConnectionEvents) {
    this.#context = context
    this.#events = events
    this.#capacity = context.maxSubscriptions
    this.#syncTimer = new Timer(context.timers)
    this.#retryTimer = new Timer(context.timers)
  }

  get state(): 'connecting' | 'live' | 'blocked' {
    return this.#state
  }

  get tokens(): ReadonlySet<Address> {
    return this.#wanted
  }

  hasRoom(): boolean {
    return this.#wanted.size < this.#capacity
  }

  /** Subscribes anew even when the server still has the token subscribed, since nothing is known of it here. */
  add(token: Address): void {
    this.#wanted.add(token)
    this.refresh(token)
  }

  remove(token: Address): void {
    this.#wanted.delete(token)
    this.#syncSoon()
  }

  /** Asks for the newest state again. It arrives when it is newer than the last complete one. */
  refresh(token: Address): void {
    this.#stale.add(token)
    this.#syncSoon()
  }

  /** Connects now, or checks now whether the open connection is alive. */
  wake(): void {
    if (this.#state === 'live') this.#socket?.probe()
    else if (this.#socket === null) this.connect()
  }

  connect(): void {
    this.#retryTimer.stop()
    this.#subscribed.clear()
    this.#budget = new MessageBudget()
    this.#socket = new FeedSocket(this.#context, {
      onOpen: () => this.#sync(),
      onLive: () => {
        this.#liveSinceMs = this.#context.timers.now()
        this.#setState('live')
      },
      onMessage: message => this.#received(message),
      onEnd: (end, close) => this.#ended(end, close),
    })
    this.#socket.start()
  }

  close(): void {
    this.#retryTimer.stop()
    this.#syncTimer.stop()
    this.#socket?.close()
    this.#socket = null
  }

  #ended(end: SocketEnd, { code, delayMs }: SocketClose): void {
    const { timers, random } = this.#context
    this.#socket = null
    if (end === 'dismissed') return this.#events.onDismissed(code)
    if (end === 'lost' && timers.now() - this.#liveSinceMs >= STABLE_MS) this.#failures = 0
    const pauseMs = delayMs ?? backoffMs(this.#failures, random)
    // A server that leaves and says so is no failure.
    if (delayMs === null) this.#failures += end === 'timedOut' ? BLOCKED_AFTER : 1
    this.#retryTimer.start(pauseMs, () => this.connect())
    this.#setState(this.#failures >= BLOCKED_AFTER ? 'blocked' : 'connecting')
  }

  #received(message: ReadMessage): void {
    if (message.type === 'token.update') this.#events.onUpdate(message)
    else if (message.type === 'invalid') this.#context.onError(message.error)
    else if (message.type === 'error') this.#refused(message)
  }

  #refused({ code, message, token }: Refusal): void {
    const refused = token as Address
    if (code === 'too_many_subscriptions' && this.#subscribed.delete(refused)) {
      this.#wanted.delete(refused)
      this.#capacity = this.#subscribed.size
      this.#events.onFull(refused)
    } else this.#context.onError(new ClientError('rejected', `${code}: ${message}`))
  }

  /** At the end of the tick: a list that is rendered again sends only the difference. */
  #syncSoon(): void {
    if (this.#socket !== null && !this.#syncTimer.isRunning) this.#syncTimer.start(0, () => this.#sync())
  }

  /** Sends the difference as fast as the server allows. Unsubscribes first, to make room. */
  #sync(): void {
    if (!this.#socket?.isOpen) return
    for (const token of this.#subscribed) {
      if (this.#wanted.has(token) && !this.#stale.has(token)) continue
      if (!this.#send({ type: 'unsubscribe', token })) return
      this.#subscribed.delete(token)
    }
    this.#stale.clear()
    for (const token of this.#wanted) {
      if (this.#subscribed.has(token)) continue
      if (!this.#send({ type: 'subscribe', token, sequence: this.#events.sequenceOf(token) })) return
      this.#subscribed.add(token)
    }
  }

  /** False when the message has to wait for the rate limit: `#sync` then runs again when its time has come. */
  #send(message: object): boolean {
    const pauseMs = this.#budget.take(this.#context.timers.now())
    if (pauseMs > 0) this.#syncTimer.start(pauseMs, () => this.#sync())
    else this.#socket?.send(JSON.stringify(message))
    return pauseMs === 0
  }

  #setState(state: FeedConnection['state']): void {
    if (state === this.#state) return
    this.#state = state
    this.#events.onState()
  }
}
