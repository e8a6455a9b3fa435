const READINGS = 10

/** The main thread's monotonic clock, for other threads: what `process.hrtime` shows when this thread's `performance.now()` is 0, in ns. */
export function clockOriginNs(): bigint {
  // The two clocks are read one after the other, and the thread may be interrupted between: the reading that took least is the best.
  let shortestNs: bigint | null = null
  let originNs = 0n
  for (let reading = 0; reading < READINGS; reading++) {
    const beforeNs = process.hrtime.bigint()
    const nowMs = performance.now()
    const tookNs = process.hrtime.bigint() - beforeNs
    if (shortestNs !== null && tookNs >= shortestNs) continue
    shortestNs = tookNs
    originNs = beforeNs + tookNs / 2n - BigInt(Math.round(nowMs * 1e6))
  }
  return originNs
}

/**
 * `performance.now()` of the thread with this origin, in ms. Each thread's own `performance.now()` starts with the thread, and `timeOrigin`
 * is read from the wall clock, which may be set in between; `process.hrtime` is one clock for all threads.
 */
export function clockOf(originNs: bigint): () => number {
  return () => Number(process.hrtime.bigint() - originNs) / 1e6
}
