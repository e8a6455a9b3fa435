import type { Transport } from '#actors/subscription.ts'
import type { Frame } from '#actors/token/frame.ts'
import type { RealtimeHealth } from '#resources/health.ts'
import type { LatencySnapshot } from '#telemetry/latencyHistogram.ts'
import { createLatencyHistogram } from '#telemetry/latencyHistogram.ts'

/** The time over which the rate of updates is averaged, in whole seconds. */
const RATE_SECONDS = 10

/** How many deliveries of one frame are recorded by one reading of the clock. Each takes a few microseconds. */
const DELIVERIES_PER_CLOCK_READING = 16

/**
 * Counters of connections and deliveries. Times are monotonic, in ms. It is a class, since private fields hold changing fractions in place,
 * where captured variables would allocate on the hot path.
 */
export class RealtimeStats {
  readonly #now: () => number
  readonly #open: Record<Transport, number> = { webSocket: 0, eventStream: 0 }
  readonly #latencies = createLatencyHistogram()
  readonly #recentLatencies = new RecentLatencies()
  #subscriptions = 0
  #delivered = 0
  #conflated = 0
  #nowMs: number
  /** When the commit that is being delivered has completed; `null`: its deliveries are not measured. */
  #completedAtMs: number | null = null
  #unrecorded = 0
  /** The number of deliveries by second. A second's slot is used again after `RATE_SECONDS + 1` seconds. */
  readonly #perSecond = new Float64Array(RATE_SECONDS + 1)
  #second: number

  constructor(now: () => number) {
    this.#now = now
    this.#nowMs = now()
    this.#second = Math.floor(this.#nowMs / 1_000)
  }

  opened(transport: Transport): void {
    this.#open[transport]++
  }

  closed(transport: Transport): void {
    this.#open[transport]--
  }

  subscribed(): void {
    this.#subscriptions++
  }

  unsubscribed(): void {
    this.#subscriptions--
  }

  conflated(): void {
    this.#conflated++
  }

  /** To be called where a batch of deliveries begins, because the last reading of the clock may be long ago. */
  batchBegins(): void {
    this.#record()
    this.#readClock()
  }

  /** Counts a delivery. @param isUpdate `false` for a snapshot, whose commit may be long ago, so that it does not count in the latency */
  delivered(frame: Pick<Frame, 'completedAtMs'>, isUpdate: boolean): void {
    const completedAtMs = isUpdate ? frame.completedAtMs : null
    if (completedAtMs !== this.#completedAtMs || this.#unrecorded === DELIVERIES_PER_CLOCK_READING) {
      this.#record()
      this.#readClock()
      this.#completedAtMs = completedAtMs
    }
    this.#unrecorded++
    this.#delivered++
  }

  /** Reads the counters for a health page. Walks over some 4,000 counters of latencies. */
  report(): RealtimeHealth {
    this.#record()
    this.#readClock()
    const latency = (share: number) => this.#recentLatencies.quantile(share, this.#nowMs)
    const current = this.#perSecond[this.#second % this.#perSecond.length] ?? 0
    return {
      webSocketConnections: this.#open.webSocket,
      eventStreams: this.#open.eventStream,
      subscriptions: this.#subscriptions,
      updatesPerSecond: (this.#perSecond.reduce((sum, count) => sum + count, 0) - current) / RATE_SECONDS,
      deliveredTotal: this.#delivered,
      conflatedTotal: this.#conflated,
      commitToDeliveryMs: { p50: latency(0.5), p99: latency(0.99) },
    }
  }

  commitToDelivery(): LatencySnapshot {
    this.#record()
    return this.#latencies.snapshot()
  }

  #record(): void {
    const count = this.#unrecorded
    if (count === 0) return
    this.#unrecorded = 0
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

/** The ratio of neighbouring bucket bounds, so that a quantile is exact to within 5 %. */
const GROWTH = 1.05
const SMALLEST_MS = 0.01
/** The last bucket begins at 100 s. */
const BUCKETS = Math.ceil(Math.log(100_000 / SMALLEST_MS) / Math.log(GROWTH)) + 1

/** The number of slices of the window. The oldest is cleared when time moves on. */
const SLICES = 6
const SLICE_MS = 10_000

/**
 * Latencies of the last minute in constant memory. Times are monotonic, in ms. `createHistogram` of `node:perf_hooks` records one value per
 * call, in 28 ns. Here a batch of 16 deliveries costs 25 ns.
 */
export class RecentLatencies {
  readonly #slices = Array.from({ length: SLICES }, () => new Uint32Array(BUCKETS))
  #sliceNumber = 0

  record(latencyMs: number, count: number, nowMs: number): void {
    const bucket = bucketOf(latencyMs)
    const slice = this.#sliceAt(nowMs)
    slice[bucket] = (slice[bucket] ?? 0) + count
  }

  /**
   * The latency in ms that a share (0 to 1) of the deliveries of the last 50 to 60 s did not exceed; `null`: there were none. Walks over
   * some 2,000 counters, so it is for a health page.
   */
  quantile(share: number, nowMs: number): number | null {
    this.#sliceAt(nowMs)
    const counts = Array.from({ length: BUCKETS }, (_, bucket) => this.#slices.reduce((sum, slice) => sum + (slice[bucket] ?? 0), 0))
    const total = counts.reduce((sum, count) => sum + count, 0)
    if (total === 0) return null
    let left = Math.max(1, Math.ceil(total * share))
    const found = counts.findIndex(count => {
      left -= count
      return left <= 0
    })
    return Number((SMALLEST_MS * GROWTH ** found).toPrecision(3))
  }

  #sliceAt(nowMs: number): Uint32Array {
    const number = Math.floor(nowMs / SLICE_MS)
    const passed = Math.min(SLICES, number - this.#sliceNumber)
    for (let back = 0; back < passed; back++) this.#slice(number - back).fill(0)
    this.#sliceNumber = Math.max(number, this.#sliceNumber)
    return this.#slice(this.#sliceNumber)
  }

  #slice(number: number): Uint32Array {
    return this.#slices[number % SLICES] ?? new Uint32Array(BUCKETS)
  }
}

function bucketOf(latencyMs: number): number {
  if (latencyMs <= SMALLEST_MS) return 0
  return Math.min(BUCKETS - 1, Math.ceil(Math.log(latencyMs / SMALLEST_MS) / Math.log(GROWTH) - 1e-9))
}
