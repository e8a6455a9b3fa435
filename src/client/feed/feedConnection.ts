import { ClientError } from '#client/clientError.ts'
import type { ClientContext } from '#client/context.ts'
import { backoffMs, Timer } from '#client/timers.ts'
import { MAX_CHANNEL_SUBSCRIPTIONS, MAX_TOKENS_PER_MESSAGE } from '#protocol/limits.ts'
import type { Carried } from './carried.ts'
import { FeedSocket, type SocketClose, type SocketEnd } from './feedSocket.ts'
import type { ReadMessage, Refusal } from './messages.ts'

/** After a connection that lived this long, the back-off begins again with short pauses. */
export const STABLE_MS = 10_000

/** Time from a ping to its answer after the page was asleep. */
const WOKEN_ANSWER_MS = 2_000

/** Failures in a row after which the fallback takes over. An attempt that times out after `ANSWER_MS` counts as that many. */
const BLOCKED_AFTER = 2

export interface FeedConnectionEvents {
  readonly onState: () => void
  /** Messages did not bring the newest state of a token. */
  readonly onMissed: (carried: Carried | undefined) => void
  /** The server closed with this code, which asks the client not to reconnect. */
  readonly onDismissed: (code: number | null) => void
  /** The server refused a subscription because the connection is full. It no longer belongs to this connection. */
  readonly onFull: (carried: Carried) => void
  /** The server refused a subscription to a channel, whose filters are wrong. */
  readonly onRefused: (carried: Carried, error: ClientError) => void
}

/** Subscriptions to tokens and channels, and the WebSocket that carries them, which is opened again whenever it breaks. */
export class FeedConnection {
  readonly #context: ClientContext
  readonly #events: FeedConnectionEvents
  readonly #wanted = new Map<string, Carried>()
  /** Each key with the sequence that its subscribe message named. */
  readonly #subscribed = new Map<string, number>()
  /** To be unsubscribed and subscribed again: the server sends no state twice over one connection. */
  readonly #stale = new Set<string>()
  #socket: FeedSocket | null = null
  #state: 'connecting' | 'live' | 'blocked' = 'connecting'
  #channels = 0
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

  get carried(): Iterable<Carried> {
    return this.#wanted.values()
  }

  get isUnused(): boolean {
    return this.#wanted.size === 0
  }

  hasRoom({ isChannel }: Carried): boolean {
    return isChannel ? this.#channels < MAX_CHANNEL_SUBSCRIPTIONS : this.#wanted.size - this.#channels < this.#capacity
  }

  /** Subscribes anew, even if the server still has the subscription, since the client knows nothing of its state. */
  add(carried: Carried): void {
    this.#wanted.set(carried.key, carried)
    if (carried.isChannel) this.#channels++
    this.refresh(carried)
  }

  remove(carried: Carried): void {
    if (!this.#wanted.delete(carried.key)) return
    if (carried.isChannel) this.#channels--
    this.#syncSoon()
  }

  /** Subscribes again from where the client is. A token's newest state arrives when it is newer than the last complete one. */
  refresh({ key }: Carried): void {
    this.#stale.add(key)
    this.#syncSoon()
  }

  /** Connects now, or checks now whether the open connection is alive. */
  wake(): void {
    if (this.#state === 'live') this.#socket?.ping(WOKEN_ANSWER_MS)
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
    // A server that announces that it leaves has not failed.
    if (delayMs === null) this.#failures += end === 'timedOut' ? BLOCKED_AFTER : 1
    this.#retryTimer.start(pauseMs, () => this.connect())
    this.#setState(this.#failures >= BLOCKED_AFTER ? 'blocked' : 'connecting')
  }

  #received(message: ReadMessage): void {
    if (message.type === 'token.update') this.#wanted.get(message.token.address)?.receive(message, 'webSocket')
    else if (message.type === 'invalid') this.#context.onError(message.error)
    else if (message.type === 'missed') this.#events.onMissed(this.#wanted.get(message.key))
    else if (message.type === 'error') this.#refused(message)
    else if ('token' in message) this.#answered(message.token, message.sequence ?? -1)
    else if (message.type === 'channel') this.#wanted.get(message.key)?.receive(message, 'webSocket')
  }

  /** If a batch named a newer sequence than the token's own, the server may have left out its state. It is then subscribed to again. */
  #answered(token: string, sequence: number): void {
    const carried = this.#wanted.get(token)
    const own = carried?.subscription().sequence ?? -1
    if (carried && sequence > own && sequence <= (this.#subscribed.get(token) ?? -1)) this.refresh(carried)
  }

  #refused({ code, message, token, id }: Refusal): void {
    const key = (token ?? id) as string
    const carried = this.#wanted.get(key)
    const error = new ClientError('rejected', `${code}: ${message}`)
    if (carried === undefined || !this.#subscribed.has(key) || !(code === 'too_many_subscriptions' || carried.isChannel)) {
      this.#context.onError(error)
      return
    }
    this.#subscribed.delete(key)
    this.remove(carried)
    // A connection never has too many channels, so another one would refuse this channel, too.
    if (carried.isChannel) {
      this.#events.onRefused(carried, error)
      return
    }
    this.#capacity = [...this.#subscribed.keys()].filter(isToken).length
    this.#events.onFull(carried)
  }

  /** Syncs at the end of the tick, so that a list that is rendered again sends only the difference. */
  #syncSoon(): void {
    if (this.#socket !== null && !this.#syncTimer.isRunning) this.#syncTimer.start(0, () => this.#sync())
  }

  /** Sends the difference as fast as the server allows. Unsubscribes first, to make room. */
  #sync(): void {
    if (!this.#socket?.isOpen) return
    for (const key of this.#subscribed.keys()) {
      if (this.#wanted.has(key) && !this.#stale.has(key)) continue
      if (!this.#send({ type: 'unsubscribe', [isToken(key) ? 'token' : 'id']: key })) return
      this.#subscribed.delete(key)
    }
    const missing = [...this.#wanted.values()].filter(({ key }) => !this.#subscribed.has(key))
    const messages = subscribeMessages(missing, this.#stale)
    this.#stale.clear()
    for (const { message, keys, sequence } of messages) {
      if (!this.#send(message)) return
      for (const key of keys) this.#subscribed.set(key, sequence)
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

function isToken(key: string): boolean {
  return key.startsWith('0x')
}

interface SubscribeMessage {
  message: object
  readonly keys: string[]
  /** The sequence that the message names; -1: none. Of several tokens, the server sends only those that have changed since. */
  sequence: number
}

/**
 * The messages that subscribe to all of these: up to a hundred tokens of one batch in each, with the newest of their sequences.
 *
 * @param stale - keys of tokens that the server must send if they are newer than the client's own sequence
 */
function subscribeMessages(carried: readonly Carried[], stale: ReadonlySet<string>): readonly SubscribeMessage[] {
  const messages: SubscribeMessage[] = []
  const newest = new Map<string | null, SubscribeMessage>()
  for (const each of carried) {
    const { key } = each
    const message = each.subscription()
    const sequence = message.sequence ?? -1
    const batch = sequence < 0 || !stale.has(key) ? each.batch : null
    const joined = batch === null ? undefined : newest.get(batch)
    if (joined === undefined || joined.keys.length === MAX_TOKENS_PER_MESSAGE) {
      const own = { message, keys: [key], sequence }
      messages.push(own)
      newest.set(batch, own)
    } else {
      joined.keys.push(key)
      joined.sequence = Math.max(joined.sequence, sequence)
      joined.message = { ...message, token: undefined, tokens: joined.keys, sequence: joined.sequence < 0 ? null : joined.sequence }
    }
  }
  return messages
}

/** Below the server's default limit of 50 messages a second with a burst of 200. */
const MESSAGE_MS = 25
const BURST = 180

/** Paces the messages of one connection: a token bucket that refills with one message per `MESSAGE_MS`, up to `BURST`. */
export class MessageBudget {
  #usedUntilMs = Number.NEGATIVE_INFINITY

  /** Takes one message from the bucket and returns 0, or returns the ms to wait until there is one. */
  take(nowMs: number): number {
    const usedUntilMs = Math.max(this.#usedUntilMs, nowMs - BURST * MESSAGE_MS) + MESSAGE_MS
    if (usedUntilMs > nowMs) return usedUntilMs - nowMs
    this.#usedUntilMs = usedUntilMs
    return 0
  }
}
