import type { Frame } from '#actors/token/frame.ts'
import type { Address } from '#domain/address.ts'
import { CLOSE_CODES, type CloseCodeName, leavingReason } from '#protocol/closeCodes.ts'
import { encodeError, encodeUnsubscribed } from '#protocol/encodeAnswer.ts'
import { type ErrorMessage, parseClientMessage } from '#protocol/parseClientMessage.ts'
import type { Connection, ConnectionDeps, WriteBudget } from './connections.ts'
import { judge } from './liveness.ts'
import { takeMessage } from './messageRate.ts'
import { Outbox } from './outbox.ts'
import type { OutboxSubscription } from './outboxSubscription.ts'
import type { Sink, WriteResult } from './sink.ts'
import { Subscriptions } from './subscriptions.ts'
import type { WebSocket } from './uWebSockets.ts'

const BUFFERED = 0
const DROPPED = 2

export class WebSocketConnection implements Connection, Sink {
  readonly transport = 'webSocket'
  readonly #ws: WebSocket<unknown>
  readonly #deps: ConnectionDeps
  readonly #outbox: Outbox
  readonly #subscriptions = new Subscriptions()
  /** Whole ms: V8 stores integers in the object and allocates fractions apart. */
  #heardAtMs: number
  #pingedAtMs: number
  /** State of `takeMessage`. */
  #busyUntilMs = 0
  /** Set by the close handler: afterwards the socket must not be touched. */
  #isClosed = false
  #isShuttingDown = false
  #returnAfterMs: number | null = null

  constructor(ws: WebSocket<unknown>, deps: ConnectionDeps) {
    this.#ws = ws
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
        this.#subscribe(message.token, message.sequence)
        break
      case 'unsubscribe':
        this.#unsubscribe(message.token)
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

  /** The kernel has taken some of the buffered data. */
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
    this.#deps.stats.closed('webSocket')
  }

  writeFrame(frame: Frame): WriteResult {
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

  #subscribe(token: Address, sequence: number | null): void {
    let subscription = this.#subscriptions.get(token)
    if (subscription === undefined) {
      const { maxSubscriptionsPerConnection: most } = this.#deps.config
      if (this.#subscriptions.size >= most) {
        this.#outbox.answer(encodeError({ code: 'too_many_subscriptions', message: `a connection may have ${most} subscriptions`, token }))
        return
      }
      subscription = this.#outbox.subscription(this.#deps.registry.internAddress(token))
      this.#subscriptions.add(subscription)
      this.#deps.stats.subscribed()
    }
    this.#deps.registry.subscribe(token, subscription, sequence)
  }

  /** Confirmed also without a subscription: the client gets the state that it asked for. */
  #unsubscribe(token: Address): void {
    const subscription = this.#subscriptions.get(token)
    if (subscription !== undefined) this.#forget(subscription)
    this.#outbox.answer(encodeUnsubscribed(token))
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

  #refuse(reason: CloseCodeName, error: Omit<ErrorMessage, 'type'>): void {
    this.#outbox.flush()
    if (this.#isClosed) return
    this.#ws.send(encodeError(error), false)
    this.#end(reason)
  }

  #end(name: CloseCodeName, reason: string = CLOSE_CODES[name].reason): void {
    if (this.#isClosed) return
    const { code } = CLOSE_CODES[name]
    // Runs the close handler before it returns.
    this.#ws.end(code, reason)
  }
}
