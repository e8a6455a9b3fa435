import type { Transport } from '#actors/ports.ts'
import type { Frame } from '#actors/token/frame.ts'
import type { RealtimeHealth } from '#domain/health.ts'
import { createLatencyHistogram, type LatencySnapshot } from '#telemetry/latencyHistogram.ts'
import { RecentLatencies } from './recentLatencies.ts'

/** Over how many whole seconds the rate of updates is taken. */
const RATE_SECONDS = 10

/** The clock is read once per this many deliveries: a delivery takes some microseconds. */
const DELIVERIES_PER_READING = 16

/** What the realtime side has done, in counters that cost next to nothing. Times are monotonic, in ms. */
export class RealtimeStats {
  readonly #now: () => number
  readonly #open: Record<Transport, number> = { webSocket: 0, eventStream: 0 }
  readonly #closes = new Map<number, number>()
  readonly #latencies = createLatencyHistogram()
  readonly #recentLatencies = new RecentLatencies()
  #subscriptions = 0
  #messages = 0
  #delivered = 0
  #conflated = 0
  #nowMs: number
  #untilReading = 0
  /** Deliveries per second of the clock; the slot of a second is used again `RATE_SECONDS + 1` seconds later. */
  readonly #perSecond = new Float64Array(RATE_SECONDS + 1)
  #second: number

  constructor(now: () => number) {
    this.#now = now
    this.#nowMs = now()
    this.#second = Math.floor(this.#nowMs / 1_000)
  }

  get webSocketConnections(): number {
    return this.#open.webSocket
  }

  get eventStreams(): number {
    return this.#open.eventStream
  }

  /** Of WebSockets and event streams together. */
  get subscriptions(): number {
    return this.#subscriptions
  }

  /** Messages that clients sent, since the start. */
  get messagesTotal(): number {
    return this.#messages
  }

  /** Updates and snapshots that were written to sockets, since the start. */
  get deliveredTotal(): number {
    return this.#delivered
  }

  /** Updates that a slow reader was never sent because a newer one took their place, since the start. */
  get conflatedTotal(): number {
    return this.#conflated
  }

  /** WebSockets that the server closed on purpose, per close code, since the start. */
  get closesTotal(): ReadonlyMap<number, number> {
    return this.#closes
  }

  opened(transport: Transport): void {
    this.#open[transport]++
  }

  closed(transport: Transport): void {
    this.#open[transport]--
  }

  /** @param code one of `CLOSE_CODES`, so that there are few */
  closedWith(code: number): void {
    this.#closes.set(code, (this.#closes.get(code) ?? 0) + 1)
  }

  subscribed(): void {
    this.#subscriptions++
  }

  unsubscribed(): void {
    this.#subscriptions--
  }

  messageReceived(): void {
    this.#messages++
  }

  conflated(): void {
    this.#conflated++
  }

  /** To be called where a batch of deliveries begins, which may be long after the one before. */
  batchBegins(): void {
    this.#untilReading = 0
  }

  /** @param isUpdate whether the time since the commit says something: not so for a snapshot that was asked for later */
  delivered(frame: Frame, isUpdate: boolean): void {
    if (this.#untilReading === 0) {
      this.#readClock()
      this.#untilReading = DELIVERIES_PER_READING
    }
    this.#untilReading--
    this.#delivered++
    const slot = this.#second % this.#perSecond.length
    this.#perSecond[slot] = (this.#perSecond[slot] ?? 0) + 1
    if (isUpdate && frame.completedAtMs !== null) this.#recordLatency(Math.max(0, this.#nowMs - frame.completedAtMs))
  }

  /** Messages per second with an update or snapshot, over the last ten whole seconds. */
  get updatesPerSecond(): number {
    this.#readClock()
    const current = this.#perSecond[this.#second % this.#perSecond.length] ?? 0
    return (this.#perSecond.reduce((sum, count) => sum + count, 0) - current) / RATE_SECONDS
  }

  health(): RealtimeHealth {
    const updatesPerSecond = this.updatesPerSecond
    return {
      webSocketConnections: this.webSocketConnections,
      eventStreams: this.eventStreams,
      subscriptions: this.#subscriptions,
      updatesPerSecond,
      deliveredTotal: this.#delivered,
      conflatedTotal: this.#conflated,
      commitToDeliveryMs: {
        p50: this.#recentLatencies.quantile(0.5, this.#nowMs),
        p99: this.#recentLatencies.quantile(0.99, this.#nowMs),
      },
    }
  }

  /** Times from a commit's completion to the write of its update to a socket, since the start. */
  commitToDelivery(): LatencySnapshot {
    return this.#latencies.snapshot()
  }

  #recordLatency(latencyMs: number): void {
    this.#latencies.record(latencyMs)
    this.#recentLatencies.record(latencyMs, this.#nowMs)
  }

  #readClock(): void {
    this.#nowMs = this.#now()
    const second = Math.floor(this.#nowMs / 1_000)
    const passed = Math.min(this.#perSecond.length, second - this.#second)
    for (let step = 1; step <= passed; step++) this.#perSecond[(this.#second + step) % this.#perSecond.length] = 0
    this.#second = second
  }
}
