const BOUNDS_MS = [0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 200, 500, 1_000, 2_000, 5_000, 10_000]

export interface LatencySnapshot {
  /** Upper bounds of the buckets, ascending. One more bucket follows the last. */
  readonly boundsMs: readonly number[]
  /** One count per bucket, not cumulative: one more than there are bounds. */
  readonly counts: readonly number[]
  readonly sumMs: number
}

export interface LatencyHistogram {
  /** Counts `count` latencies of the same length. Allocates nothing: for hot paths. */
  record(ms: number, count: number): void
  snapshot(): LatencySnapshot
}

/** Counts latencies in milliseconds since the start in fixed buckets. */
export function createLatencyHistogram(): LatencyHistogram {
  const counts = new Float64Array(BOUNDS_MS.length + 1)
  let sumMs = 0
  return {
    record: (ms, count) => {
      let bucket = 0
      while (ms > (BOUNDS_MS[bucket] ?? Number.POSITIVE_INFINITY)) bucket++
      counts[bucket] = (counts[bucket] ?? 0) + count
      sumMs += ms * count
    },
    snapshot: () => ({ boundsMs: BOUNDS_MS, counts: [...counts], sumMs }),
  }
}
