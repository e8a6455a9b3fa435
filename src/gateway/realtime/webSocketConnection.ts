import type { Logger } from 'pino'
import type { Registry } from '#actors/registry.ts'
import type { Config } from '#config'
import type { Address } from '#domain/address.ts'
import type { Admission, Client } from '#gateway/admission/admission.ts'
import type { RealtimeStats } from '#gateway/health/realtimeStats.ts'
import { launchingEntries } from '#gateway/http/route.ts'
import { type Flusher, Outbox } from '#gateway/outbox/outbox.ts'
import type { OutboxSubscription, Sink, WriteResult, Written } from '#gateway/outbox/outboxSubscription.ts'
import type { WebSocket } from '#gateway/uWebSockets.ts'
import type { CloseCodeName } from '#protocol/closeCodes.ts'
import { CLOSE_CODES, leavingReason } from '#protocol/closeCodes.ts'
import {
  type ErrorMessage,
  encodeChannelUnsubscribed,
  encodeError,
  encodePong,
  encodeUnsubscribed,
  type ParsedMessage,
  parseClientMessage,
} from '#protocol/parseClientMessage.ts'
import { channelRequestOf } from './channelRequest.ts'
import { type ChannelActors, ChannelSubscriptions } from './channelSubscriptions.ts'

const BUFFERED = 0
const DROPPED = 2

export class WebSocketConnection implements Connection, Sink {
  readonly transport = 'webSocket'
  readonly #ws: WebSocket<unknown>
  readonly #client: Client
  readonly #deps: ConnectionDeps
  readonly #outbox: Outbox
  readonly #subscriptions = new Subscriptions()
  /** The subscriptions to channels; `null`: there was none yet, as on most connections. */
  #channelSubscriptions: ChannelSubscriptions | null = null
  /** When the client last sent anything, in whole ms: V8 stores integers in the object, and allocates fractions apart. */
  #heardAtMs: number
  #pingedAtMs: number
  /** The state of `takeMessage`. */
  #busyUntilMs = 0
  /** Whether the close handler has run, after which the socket must not be used. */
  #isClosed = false
  #isShuttingDown = false
  #returnAfterMs: number | null = null

  constructor(ws: WebSocket<unknown>, client: Client, deps: ConnectionDeps) {
    this.#ws = ws
    this.#client = client
    this.#deps = deps
    this.#outbox = new Outbox(this, deps.flusher, deps.stats, deps.now)
    this.#heardAtMs = this.#pingedAtMs = Math.floor(deps.now())
    deps.stats.opened('webSocket')
  }

  /** Handles a message, whose bytes are valid only during this call. */
  receive(bytes: Uint8Array, isBinary: boolean): void {
    this.heard()
    if (this.#isShuttingDown) return
    const busyUntilMs = takeMessage(this.#busyUntilMs, this.#deps.now(), this.#deps.config.maxMessagesPerSecond)
    if (busyUntilMs === null) {
      this.#refuse('flood', { code: 'rate_limited', message: 'more messages than allowed' })
      return
    }
    this.#busyUntilMs = busyUntilMs
    const message = parseClientMessage(bytes, isBinary)
    switch (message.type) {
      case 'subscribe':
        for (const token of message.tokens) this.#subscribe(token, message)
        break
      case 'unsubscribe':
        this.#unsubscribe(message.token, message.id)
        break
      case 'subscribeChannel':
        this.#subscribeChannel(message)
        break
      case 'unsubscribeChannel':
        this.#channelSubscriptions?.unsubscribe(message.id)
        this.#outbox.answer(encodeChannelUnsubscribed(message.id))
        break
      case 'ping':
        this.#outbox.answer(encodePong(this.#deps.epochMs(), message.id))
        break
      case 'error':
        if (message.code === 'message_too_large') this.#refuse('messageTooLarge', message)
        else this.#outbox.answer(encodeError(message))
        break
    }
  }

  heard(): void {
    this.#heardAtMs = Math.floor(this.#deps.now())
  }

  /** To be called when the kernel has taken some of the buffered data. */
  drained(): void {
    if (this.#ws.getBufferedAmount() > 0) {
      this.#outbox.progress()
      return
    }
    this.#outbox.resume()
    if (this.#isShuttingDown) this.shutDown(this.#returnAfterMs)
  }

  closed(): void {
    this.#isClosed = true
    this.#outbox.close()
    for (const subscription of this.#subscriptions.values()) this.#forget(subscription)
    this.#channelSubscriptions?.end()
    this.#deps.stats.closed('webSocket')
  }

  writeFrame(frame: Written): WriteResult {
    return this.#send(frame.webSocket)
  }

  writeAnswer(text: string): WriteResult {
    return this.#send(text)
  }

  cork(write: () => void): boolean {
    this.#ws.cork(write)
    return this.#ws.getBufferedAmount() === 0
  }

  tooManyAnswers(): void {
    this.#end('unresponsive')
  }

  sweep(nowMs: number, budget: WriteBudget): void {
    if (this.#client.key?.isRevoked === true) return this.#end('revoked')
    const { stuckSinceMs } = this.#outbox
    switch (judge({ heardAtMs: this.#heardAtMs, pingedAtMs: this.#pingedAtMs, stuckSinceMs }, nowMs)) {
      case 'close':
        this.#end('unresponsive')
        break
      case 'ping':
        if (budget.left-- <= 0) break
        this.#pingedAtMs = Math.floor(nowMs)
        this.#ws.ping()
        break
      case 'fine':
        break
    }
  }

  shutDown(returnAfterMs: number | null): void {
    this.#isShuttingDown = true
    this.#returnAfterMs = returnAfterMs
    this.#outbox.flush()
    if (!this.#outbox.isBlocked) this.cutOff()
  }

  cutOff(): void {
    if (this.#returnAfterMs === null) this.#end('restart')
    else this.#end('leaving', leavingReason(this.#returnAfterMs))
  }

  #subscribe(token: Address, { tokens, sequence, holders, delta, minIntervalMs, id }: Extract<ParsedMessage, { type: 'subscribe' }>): void {
    let subscription = this.#subscriptions.get(token)
    if (subscription === undefined) {
      const { maxSubscriptionsPerConnection: most } = this.#deps.config
      if (this.#subscriptions.size >= most) {
        const message = `a connection may have ${most} subscriptions`
        this.#outbox.answer(encodeError({ code: 'too_many_subscriptions', message, token, ...(id !== undefined && { id }) }))
        return
      }
      subscription = this.#outbox.subscription(this.#deps.registry.internAddress(token))
      this.#subscriptions.add(subscription)
      this.#deps.stats.subscribed()
    }
    subscription.wantHolders(holders)
    subscription.wantDeltas(delta)
    subscription.wantInterval(minIntervalMs, this.#outbox)
    subscription.asked(id, tokens.length > 1)
    this.#deps.registry.subscribe(token, subscription, knownSequence(sequence, this.#deps.epochMs()))
  }

  #subscribeChannel(message: Extract<ParsedMessage, { type: 'subscribeChannel' }>): void {
    const { stats, config } = this.#deps
    const { id = message.channel } = message
    const parsed = channelRequestOf(message, launchingEntries(config.launchpads))
    if (parsed.kind === 'invalid') {
      this.#outbox.answer(encodeError({ code: 'invalid_message', message: parsed.problem.detail, id }))
      return
    }
    this.#channelSubscriptions ??= new ChannelSubscriptions(this.#deps, this.#client, this.#outbox, stats)
    const refusal = this.#channelSubscriptions.subscribe(parsed.request, message.minIntervalMs)
    if (refusal !== null) this.#outbox.answer(encodeError({ code: 'too_many_subscriptions', message: refusal.message, id }))
  }

  /** Ends a subscription. Confirms that even if there was none, since the client is in the state that it asked for. */
  #unsubscribe(token: Address, id: string | undefined): void {
    const subscription = this.#subscriptions.get(token)
    if (subscription !== undefined) this.#forget(subscription)
    this.#outbox.answer(encodeUnsubscribed(token, id))
  }

  #forget(subscription: OutboxSubscription): void {
    this.#subscriptions.remove(subscription.token)
    subscription.end()
    this.#deps.registry.unsubscribe(subscription.token, subscription)
    this.#deps.stats.unsubscribed()
  }

  #send(message: Uint8Array | string): WriteResult {
    switch (this.#ws.send(message, false)) {
      case BUFFERED:
        return 'full'
      case DROPPED:
        return 'refused'
      default:
        return 'sent'
    }
  }

  /** Answers with the error and closes the connection. */
  #refuse(name: CloseCodeName, error: Omit<ErrorMessage, 'type'>): void {
    this.#outbox.flush()
    if (this.#isClosed) return
    this.#ws.send(encodeError(error), false)
    this.#end(name)
  }

  #end(name: CloseCodeName, reason: string = CLOSE_CODES[name].reason): void {
    if (this.#isClosed) return
    const { code } = CLOSE_CODES[name]
    // This runs the close handler before it returns.
    this.#ws.end(code, reason)
  }
}

/** One connection's subscriptions by token. Most connections have one, and a `Map` takes more memory than the rest of a connection. */
export class Subscriptions {
  #only: OutboxSubscription | null = null
  /** All subscriptions, once there have been two. */
  #all: Map<Address, OutboxSubscription> | null = null

  get size(): number {
    if (this.#all !== null) return this.#all.size
    return this.#only === null ? 0 : 1
  }

  get(token: Address): OutboxSubscription | undefined {
    if (this.#all !== null) return this.#all.get(token)
    return this.#only?.token === token ? this.#only : undefined
  }

  add(subscription: OutboxSubscription): void {
    if (this.size === 0) this.#only = subscription
    else {
      this.#all ??= new Map(this.#only === null ? [] : [[this.#only.token, this.#only]])
      this.#all.set(subscription.token, subscription)
      this.#only = null
    }
  }

  remove(token: Address): void {
    if (this.#only?.token === token) this.#only = null
    this.#all?.delete(token)
    if (this.#all?.size === 0) this.#all = null
  }

  /** A copy, so that the caller may remove while iterating. */
  values(): readonly OutboxSubscription[] {
    if (this.#all !== null) return [...this.#all.values()]
    return this.#only === null ? [] : [this.#only]
  }
}

/** How far a sequence, which is a time in Unix milliseconds, may be in the future. The clocks of machines differ by less. */
const MAX_AHEAD_MS = 60_000

/**
 * The newest sequence that a client says it has. It may be above the token's present one, if another process has sent a newer state that
 * has not arrived here yet.
 *
 * @returns `null`: the client has none, or one from the future, which this service has not given
 */
export function knownSequence(sequence: number | null | undefined, epochMs: number): number | null {
  return sequence !== null && sequence !== undefined && sequence <= epochMs + MAX_AHEAD_MS ? sequence : null
}

/** A client may send the messages of this time at once. */
const BURST_MS = 4_000

/** A tolerance for rounding errors, which could cost a client the last message of its burst. */
const TOLERANCE_MS = 1e-6

/**
 * The generic cell rate algorithm. A client's state is the time at which its messages so far would end if they were evenly spaced, 0 for a
 * new one. Returns the new state; `null`: the message exceeds the rate.
 */
export function takeMessage(busyUntilMs: number, nowMs: number, perSecond: number): number | null {
  const until = Math.max(busyUntilMs, nowMs) + 1_000 / perSecond
  return until - nowMs <= BURST_MS + TOLERANCE_MS ? until : null
}

/** The time after which a client that neither reads nor answers is closed. */
export const UNRESPONSIVE_MS = 60_000

/** The silence after which a client is pinged: proxies often close idle connections after 60 s, some after 30 s. */
export const PING_AFTER_MS = 20_000

/** The signs of life of a client. Times are monotonic, in ms. */
export interface Signs {
  /** When the client last sent a message, a ping or a pong. */
  readonly heardAtMs: number
  readonly pingedAtMs: number
  /** Since when the client has read none of the data buffered for it; `null`: no data is buffered. */
  readonly stuckSinceMs: number | null
}

export type Verdict = 'fine' | 'ping' | 'close'

/**
 * Decides by a client's signs of life what to do with its connection.
 *
 * 1. While data is buffered for the client, reading it is the sign of life: a ping would wait behind the data.
 * 2. Otherwise, anything that the client sends is the sign of life. A ping makes it send something.
 */
export function judge(signs: Signs, nowMs: number): Verdict {
  if (signs.stuckSinceMs !== null) return nowMs - signs.stuckSinceMs >= UNRESPONSIVE_MS ? 'close' : 'fine'
  if (nowMs - signs.heardAtMs >= UNRESPONSIVE_MS) return 'close'
  return nowMs - Math.max(signs.heardAtMs, signs.pingedAtMs) >= PING_AFTER_MS ? 'ping' : 'fine'
}

export interface Connection {
  /** Pings or comments a silent connection and closes an unresponsive one. `budget` bounds the writes of one sweep. */
  sweep(nowMs: number, budget: WriteBudget): void
  /**
   * Writes the waiting messages, then closes: at once, or when a slow reader has read them.
   *
   * @param returnAfterMs how long the client is asked to stay away; `null`: its own delay decides
   */
  shutDown(returnAfterMs: number | null): void
  /** Closes at once, with the delay of `shutDown`. The messages that a slow reader has not read are lost. */
  cutOff(): void
}

export interface ConnectionDeps extends ChannelActors {
  readonly config: Pick<Config, 'maxSubscriptionsPerConnection' | 'maxMessagesPerSecond' | 'drainSeconds' | 'launchpads'>
  readonly admission: Admission
  readonly registry: Pick<Registry, 'subscribe' | 'unsubscribe' | 'internAddress'>
  readonly flusher: Flusher
  readonly stats: RealtimeStats
  readonly logger: Logger
  /** Monotonic milliseconds, for durations. */
  readonly now: () => number
  /** Unix milliseconds, for times that a client sees. */
  readonly epochMs: () => number
}

/** The writes that a sweep has left. The other connections get their turn in the next sweep. */
export interface WriteBudget {
  left: number
}
