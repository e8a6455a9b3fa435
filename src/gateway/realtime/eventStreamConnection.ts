import type { Address } from '#domain/address.ts'
import type { Client } from '#gateway/admission/admission.ts'
import { EVENT_STREAM_HEADERS, type Exchange } from '#gateway/http/exchange.ts'
import { type Problem, watchRefused } from '#gateway/http/problem.ts'
import { Outbox } from '#gateway/outbox/outbox.ts'
import type { Sink, WriteResult, Written } from '#gateway/outbox/outboxSubscription.ts'
import type { HttpResponse } from '#gateway/uWebSockets.ts'
import type { ChannelRequest } from './channelRequest.ts'
import { type ChannelRefusal, ChannelSubscriptions } from './channelSubscriptions.ts'
import { type Connection, type ConnectionDeps, UNRESPONSIVE_MS, type WriteBudget } from './webSocketConnection.ts'

/** The line that tells a client how long to wait before it reconnects, after this end of the stream and later ones. */
const retryLine = (ms: number) => `retry: ${Math.floor(ms)}\n\n`
const RETRY = retryLine(2_000)

const COMMENT = ':\n\n'
/** The silence after which a comment is sent. With a sweep per second, that is every 15 s. */
const COMMENT_EVERY_MS = 14_000

/**
 * The time after a frame that nothing has followed until a comment shows whether the frame has left. uWebSockets does not report that for a
 * corked write, and it closes a response that is stuck for 8 to 12 s.
 */
const PROBE_AFTER_MS = 4_000

const EXTEND_EVERY_MS = 3_000

/** A request for an event stream that has passed the origin check, the rate limit and the validation. */
export interface EventStreamRequest extends Pick<Exchange, 'res' | 'client' | 'headers' | 'isAborted' | 'onAborted'> {
  readonly subscription: StreamSubscription
}

export class EventStreamConnection implements Connection, Sink {
  readonly transport = 'eventStream'
  readonly #res: HttpResponse
  readonly #request: EventStreamRequest
  readonly #deps: ConnectionDeps
  readonly #outbox: Outbox
  #unsubscribe = () => {}
  readonly #closed: (connection: EventStreamConnection) => void
  #isClosed = false
  #isShuttingDown = false
  #returnAfterMs: number | null = null
  #commentedAtMs: number
  /** When the last frame was written; `null`: something has followed it. */
  #unprovenSinceMs: number | null = null
  #extendedAtMs = 0
  #chunk: Uint8Array | string = COMMENT
  #isTaken = true
  readonly #writeChunk = () => {
    this.#isTaken = this.#res.write(this.#chunk)
  }

  /** `closed` is called once, when either side has closed the stream. */
  constructor(request: EventStreamRequest, deps: ConnectionDeps, closed: (connection: EventStreamConnection) => void) {
    this.#request = request
    this.#res = request.res
    this.#deps = deps
    this.#closed = closed
    this.#outbox = new Outbox(this, deps.flusher, deps.stats, deps.now)
    this.#commentedAtMs = deps.now()
  }

  /** Opens the stream. Returns why it was refused, and has then written nothing. Frames that the subscription has are written later. */
  open(): Problem | null {
    const { subscription, client, headers } = this.#request
    const subscribed = subscribeStream(subscription, client, this.#outbox, this.#deps)
    if (typeof subscribed !== 'function') return watchRefused(subscribed)
    this.#unsubscribe = subscribed
    this.#deps.stats.opened('eventStream')
    this.#request.onAborted(() => this.#finish())
    this.#res.onWritable(() => this.#writable())
    this.#res.cork(() => {
      this.#res.writeStatus('200 OK')
      for (const [name, value] of [...headers, ...EVENT_STREAM_HEADERS]) this.#res.writeHeader(name, value)
      this.#res.write(RETRY)
    })
    return null
  }

  writeFrame(frame: Written): WriteResult {
    this.#unprovenSinceMs = this.#deps.now()
    return this.#write(frame.eventStream)
  }

  writeAnswer(): WriteResult {
    return 'sent'
  }

  cork(write: () => void): boolean {
    write()
    return true
  }

  tooManyAnswers(): void {
    this.cutOff()
  }

  sweep(nowMs: number, budget: WriteBudget): void {
    if (this.#request.client.key?.isRevoked === true) return this.cutOff()
    const { stuckSinceMs } = this.#outbox
    if (stuckSinceMs !== null) {
      if (nowMs - stuckSinceMs >= UNRESPONSIVE_MS) this.cutOff()
      else this.#extend(nowMs)
      return
    }
    const isUnproven = this.#unprovenSinceMs !== null && nowMs - this.#unprovenSinceMs >= PROBE_AFTER_MS
    if ((isUnproven || nowMs - this.#commentedAtMs >= COMMENT_EVERY_MS) && budget.left-- > 0) this.#comment(nowMs)
  }

  shutDown(returnAfterMs: number | null): void {
    this.#isShuttingDown = true
    this.#returnAfterMs = returnAfterMs
    this.#outbox.flush()
    if (this.#outbox.isBlocked || this.#isClosed) return
    this.#finish()
    this.#res.cork(() => {
      this.#res.end(returnAfterMs === null ? undefined : retryLine(returnAfterMs))
    })
  }

  cutOff(): void {
    if (!this.#isClosed) this.#res.close()
  }

  /** Writes a comment, since uWebSockets sends the rest of its buffer only with the next write. */
  #writable(): boolean {
    if (!this.#outbox.resume()) this.#comment(this.#deps.now())
    if (this.#isShuttingDown) this.shutDown(this.#returnAfterMs)
    return true
  }

  #comment(nowMs: number): void {
    this.#commentedAtMs = nowMs
    this.#unprovenSinceMs = null
    if (this.#write(COMMENT) === 'full') this.#outbox.block()
  }

  #write(chunk: Uint8Array | string): WriteResult {
    this.#chunk = chunk
    this.#res.cork(this.#writeChunk)
    return this.#isTaken ? 'sent' : 'full'
  }

  /** Restarts the timeout of a stuck write: pausing stops it, and resuming starts it again. */
  #extend(nowMs: number): void {
    if (nowMs - this.#extendedAtMs < EXTEND_EVERY_MS) return
    this.#extendedAtMs = nowMs
    this.#res.pause()
    this.#res.resume()
  }

  #finish(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#outbox.close()
    this.#unsubscribe()
    this.#deps.stats.closed('eventStream')
    this.#closed(this)
  }
}

/** The token or channel that an event stream follows. */
export type StreamSubscription =
  /** `lastSequence`: the newest sequence that the client has; `null`: none. `delta`: whether it applies deltas. */
  | {
      readonly of: 'token'
      readonly token: Address
      readonly lastSequence: number | null
      readonly delta: boolean
      readonly minIntervalMs: number
    }
  | { readonly of: 'channel'; readonly request: ChannelRequest; readonly minIntervalMs: number }

/** Subscribes a stream's outbox. Returns the function that ends the subscription, or why it was refused. */
export function subscribeStream(
  subscription: StreamSubscription,
  client: Client,
  outbox: Outbox,
  { registry, channels, lists, candles, stats }: Pick<ConnectionDeps, 'registry' | 'channels' | 'lists' | 'candles' | 'stats'>,
): (() => void) | ChannelRefusal {
  if (subscription.of === 'channel') {
    const subscriptions = new ChannelSubscriptions({ channels, lists, candles }, client, outbox, stats)
    return subscriptions.subscribe(subscription.request, subscription.minIntervalMs) ?? (() => subscriptions.end())
  }
  const { token, lastSequence, delta, minIntervalMs } = subscription
  const ofToken = outbox.subscription(token)
  ofToken.wantDeltas(delta)
  ofToken.wantInterval(minIntervalMs, outbox)
  stats.subscribed()
  registry.subscribe(token, ofToken, lastSequence)
  return () => {
    ofToken.end()
    registry.unsubscribe(token, ofToken)
    stats.unsubscribed()
  }
}
