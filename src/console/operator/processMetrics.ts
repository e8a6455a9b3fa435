/** Metrics of the service's process, from Prometheus' text format; `null` when one is missing. */
export interface ProcessMetrics {
  readonly eventLoopP50Ms: number | null
  readonly eventLoopP99Ms: number | null
  readonly eventLoopMaxMs: number | null
  readonly residentBytes: number | null
  readonly heapBytes: number | null
}

export function readMetrics(text: string): ProcessMetrics {
  const valueOf = (name: string): number | null => {
    const found = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1]
    const value = Number(found)
    return found === undefined || !Number.isFinite(value) ? null : value
  }
  const ms = (name: string) => {
    const seconds = valueOf(name)
    return seconds === null ? null : seconds * 1_000
  }
  return {
    eventLoopP50Ms: ms('nodejs_eventloop_lag_p50_seconds'),
    eventLoopP99Ms: ms('nodejs_eventloop_lag_p99_seconds'),
    eventLoopMaxMs: ms('nodejs_eventloop_lag_max_seconds'),
    residentBytes: valueOf('process_resident_memory_bytes'),
    heapBytes: valueOf('nodejs_heap_size_used_bytes'),
  }
}
