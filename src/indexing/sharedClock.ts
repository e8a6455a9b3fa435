/** The main thread's monotonic clock, to be told to other threads. */
export function clockOriginNs(): bigint {
  return process.hrtime.bigint() - BigInt(Math.round(performance.now() * 1e6))
}

/**
 * `performance.now()` of the thread whose origin this is, in ms. Every thread's own begins when the thread does, and their `timeOrigin`s
 * are read from the wall clock, which may have been set in between; `process.hrtime` is one clock for all of them.
 */
export function clockOf(originNs: bigint): () => number {
  return () => Number(process.hrtime.bigint() - originNs) / 1e6
}
