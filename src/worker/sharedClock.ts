const READINGS = 10

/** The main thread's monotonic clock, to be told to other threads: what `process.hrtime` says when this thread's `performance.now()` is 0, in ns. */
export function clockOriginNs(): bigint {
  // The two are read one after the other, and the thread may have to wait between: the reading that took least is right.
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
 * `performance.now()` of the thread whose origin this is, in ms. Every thread's own begins when the thread does, and their `timeOrigin`s
 * are read from the wall clock, which may have been set in between; `process.hrtime` is one clock for all of them.
 */
export function clockOf(originNs: bigint): () => number {
  return () => Number(process.hrtime.bigint() - originNs) / 1e6
}
