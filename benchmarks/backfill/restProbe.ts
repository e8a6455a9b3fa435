import { setTimeout as pause } from 'node:timers/promises'
import { quantile } from '#benchmarks/harness/quantile.ts'

/** Requests a page repeatedly, one request at a time, until it is stopped. */
export interface RestProbe {
  end(): Promise<{ readonly requests: number; readonly p50Ms: number; readonly p99Ms: number; readonly maxMs: number }>
}

const PAUSE_MS = 50

export function probeRest(url: string): RestProbe {
  const latencies: number[] = []
  const end = new AbortController()
  const probing = (async () => {
    while (!end.signal.aborted) {
      const begunAtMs = performance.now()
      const response = await fetch(url)
      await response.arrayBuffer()
      if (!response.ok) throw new Error(`${new URL(url).pathname} answered ${response.status} while the chain was indexed`)
      latencies.push(performance.now() - begunAtMs)
      await pause(PAUSE_MS)
    }
  })()
  probing.catch(() => undefined)
  return {
    end: async () => {
      end.abort()
      await probing
      const sorted = latencies.toSorted((a, b) => a - b)
      return { requests: sorted.length, p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99), maxMs: quantile(sorted, 1) }
    },
  }
}
