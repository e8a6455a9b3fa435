import type { Transport } from '#actors/subscription.ts'
import type { Frame } from '#actors/token/frame.ts'
import type { RealtimeHealth } from '#domain/health.ts'
import { createLatencyHistogram, type LatencySnapshot } from '#telemetry/latencyHistogram.ts'
import { RecentLatencies } from './recentLatencies.ts'

/** Over how many whole seconds the rate of updates is taken. */
const RATE_SECONDS = 10

/** So many deliveries of one frame are booked together, at one reading of the clock: a delivery takes some microseconds. */
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
  /** When the commit of what is being delivered completed; `null`: it says nothing. */
  #completedAtMs: number | null = null
  /** Deliveries that are not booked yet. */
  #unbooked = 0
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

  /** Updates that a reader was never sent because a newer one took their place, as it was slow or the line before it long; since the start. */
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
    this.#book()
    this.#readClock()
  }

  /** @param isUpdate whether the time since the commit says something: not so for a snapshot that was asked for later */
  delivered(frame: Frame, isUpdate: boolean): void {
    const completedAtMs = isUpdate ? frame.completedAtMs : null
    if (completedAtMs !== this.#completedAtMs || this.#unbooked === DELIVERIES_PER_READING) {
      this.#book()
      this.#readClock()
      this.#completedAtMs = completedAtMs
    }
    this.#unbooked++
    this.#delivered++
  }

  /** Messages per second with an update or snapshot, over the last ten whole seconds. */
  get updatesPerSecond(): number {
    this.#book()
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
    this.#book()
    return this.#latencies.snapshot()
  }

  /** Books the deliveries since the last time to the time that was read when they began. */
  #book(): void {
    const count = this.#unbooked
    if (count === 0) return
    this.#unbooked = 0
    const slot = this.#second % this.#perSecond.length
    this.#perSecond[slot] = (this.#perSecond[slot] ?? 0) + count
    if (this.#completedAtMs === null) return
    const latencyMs = Math.max(0, this.#nowMs - this.#completedAtMs)
    this.#latencies.record(latencyMs, count)
    this.#recentLatencies.record(latencyMs, count, this.#nowMs)
  }

  #readClock(): void {
    this.#nowMs = this.#now()
    const second = Math.floor(this.#nowMs / 1_000)
    const passed = Math.min(this.#perSecond.length, second - this.#second)
    for (let step = 1; step <= passed; step++) this.#perSecond[(this.#second + step) % this.#perSecond.length] = 0
    this.#second = second
  }
}
