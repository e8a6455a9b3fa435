import type { Address } from '#domain/address.ts'
import type { Client } from '#gateway/admission/client.ts'
import { launchingEntries } from '#gateway/http/launchingEntries.ts'
import { Outbox } from '#gateway/outbox/outbox.ts'
import type { OutboxSubscription } from '#gateway/outbox/outboxSubscription.ts'
import type { Sink, WriteResult, Written } from '#gateway/outbox/sink.ts'
import type { WebSocket } from '#gateway/uWebSockets.ts'
import { CLOSE_CODES, type CloseCodeName, leavingReason } from '#protocol/closeCodes.ts'
import { encodeChannelUnsubscribed, encodeError, encodePong, encodeUnsubscribed } from '#protocol/encodeAnswer.ts'
import { type ErrorMessage, type ParsedMessage, parseClientMessage } from '#protocol/parseClientMessage.ts'
import { channelRequestOf } from './channelRequest.ts'
import { ChannelSubscriptions } from './channelSubscriptions.ts'
import type { Connection, ConnectionDeps, WriteBudget } from './connections.ts'
import { knownSequence } from './knownSequence.ts'
import { judge } from './liveness.ts'
import { takeMessage } from './messageRate.ts'
import { Subscriptions } from './subscriptions.ts'

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

  #subscribe(token: Address, { tokens, sequence, holders, delta, id }: Extract<ParsedMessage, { type: 'subscribe' }>): void {
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
    const refusal = this.#channelSubscriptions.subscribe(parsed.request)
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
