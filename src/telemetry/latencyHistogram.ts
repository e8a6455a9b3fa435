/** How many latencies fell into which range since the process began. */
export interface LatencySnapshot {
  /** Upper bounds of the ranges, ascending; beyond the last there is one range more. */
  readonly boundsMs: readonly number[]
  /** One count per range, not accumulated: one more than there are bounds. */
  readonly counts: readonly number[]
  readonly sumMs: number
}

export interface LatencyHistogram {
  /** Counts one latency, or several of the same length. Allocates nothing; meant for hot paths. */
  record(ms: number, count?: number): void
  /** The upper bound of the range in which this share (0 to 1) of the latencies is reached; `null` before the first one. */
  quantileMs(share: number): number | null
  snapshot(): LatencySnapshot
}

const BOUNDS_MS = [0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 200, 500, 1_000, 2_000, 5_000, 10_000]

/** A histogram in constant memory with ranges from a tenth of a millisecond to ten seconds. */
export function createLatencyHistogram(boundsMs: readonly number[] = BOUNDS_MS): LatencyHistogram {
  const counts = new Float64Array(boundsMs.length + 1)
  let total = 0
  let sumMs = 0
  const boundAt = (index: number) => boundsMs[index] ?? Number.POSITIVE_INFINITY
  return {
    record: (ms, count = 1) => {
      let index = 0
      while (ms > boundAt(index)) index++
      counts[index] = (counts[index] ?? 0) + count
      total += count
      sumMs += ms * count
    },
    quantileMs: share => {
      if (total === 0) return null
      let seen = 0
      for (const [index, count] of counts.entries()) {
        seen += count
        if (count > 0 && seen >= share * total) return boundAt(Math.min(index, boundsMs.length - 1))
      }
      return boundAt(boundsMs.length - 1)
    },
    snapshot: () => ({ boundsMs, counts: [...counts], sumMs }),
  }
}
