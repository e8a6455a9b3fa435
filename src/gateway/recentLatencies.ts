/** Ranges grow by this factor: a quantile is told to within 5 %. */
const GROWTH = 1.05
const SMALLEST_MS = 0.01
/** The last range begins at 100 s. */
const RANGES = Math.ceil(Math.log(100_000 / SMALLEST_MS) / Math.log(GROWTH)) + 1

/** The window is this many slices, of which the oldest is emptied when time moves on. */
const SLICES = 6
const SLICE_MS = 10_000

/** Latencies of the last minute, in a fixed amount of memory. Times are monotonic, in ms. */
export class RecentLatencies {
  readonly #slices = Array.from({ length: SLICES }, () => new Uint32Array(RANGES))
  #sliceNumber = 0

  record(latencyMs: number, count: number, nowMs: number): void {
    const range = rangeOf(latencyMs)
    const slice = this.#sliceAt(nowMs)
    slice[range] = (slice[range] ?? 0) + count
  }

  /**
   * The latency in ms that a share (0 to 1) of the last 50 to 60 s did not exceed; `null` when nothing was recorded in that time.
   *
   * Cost: a walk over some thousand counters; for a health page, not for every delivery.
   */
  quantile(share: number, nowMs: number): number | null {
    this.#sliceAt(nowMs)
    const counts = Array.from({ length: RANGES }, (_, range) => this.#slices.reduce((sum, slice) => sum + (slice[range] ?? 0), 0))
    const all = counts.reduce((sum, count) => sum + count, 0)
    if (all === 0) return null
    let left = Math.max(1, Math.ceil(all * share))
    const found = counts.findIndex(count => {
      left -= count
      return left <= 0
    })
    return Number((SMALLEST_MS * GROWTH ** found).toPrecision(3))
  }

  /** The slice of now, after emptying those that time has passed over. */
  #sliceAt(nowMs: number): Uint32Array {
    const number = Math.floor(nowMs / SLICE_MS)
    const passed = Math.min(SLICES, number - this.#sliceNumber)
    for (let back = 0; back < passed; back++) this.#slice(number - back).fill(0)
    this.#sliceNumber = Math.max(number, this.#sliceNumber)
    return this.#slice(this.#sliceNumber)
  }

  #slice(number: number): Uint32Array {
    return this.#slices[number % SLICES] ?? new Uint32Array(RANGES)
  }
}

function rangeOf(latencyMs: number): number {
  if (latencyMs <= SMALLEST_MS) return 0
  return Math.min(RANGES - 1, Math.ceil(Math.log(latencyMs / SMALLEST_MS) / Math.log(GROWTH) - 1e-9))
}
