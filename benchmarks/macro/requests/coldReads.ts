import { quantile } from '#benchmarks/support/quantile.ts'

export interface ColdReads {
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Requests each path once, one after another, and measures until the whole answer has come. @throws `Error` when one is not 200 */
export async function measureColdReads(url: string, paths: readonly string[]): Promise<ColdReads> {
  const times: number[] = []
  for (const path of paths) {
    const begunAtMs = performance.now()
    const response = await fetch(`${url}${path}`, { headers: { 'Accept-Encoding': 'br, gzip' } })
    await response.arrayBuffer()
    times.push(performance.now() - begunAtMs)
    if (response.status !== 200) throw new Error(`${path}: ${response.status}`)
  }
  const sorted = times.toSorted((a, b) => a - b)
  return { p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) }
}
