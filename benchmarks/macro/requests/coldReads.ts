import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { quantile } from '#benchmarks/support/quantile.ts'
import type { DevService } from './devService.ts'

export interface ColdReads {
  readonly p50Ms: number
  readonly p99Ms: number
  /** Processor time of the service and its PostgreSQL per read; 0 where it can't be read. */
  readonly cpuMs: number
}

/**
 * Requests each path once, one after another, and measures until the whole answer has come. It is not decompressed: that would be this
 * process's work.
 *
 * @param warmUp requested before, since the first hundred answers of any process take several times as long
 * @throws `Error` when one is not 200
 */
export async function measureColdReads(
  { url, cpuMs }: Pick<DevService, 'url' | 'cpuMs'>,
  { paths, warmUp }: { readonly paths: readonly string[]; readonly warmUp: readonly string[] },
): Promise<ColdReads> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const measureEach = async (paths: readonly string[]) => {
    const times: number[] = []
    for (const path of paths) {
      const begunAtMs = performance.now()
      const [response] = (await once(get(`${url}${path}`, { agent, headers: { 'Accept-Encoding': 'br, gzip' } }), 'response')) as [
        IncomingMessage,
      ]
      await once(response.resume(), 'end')
      times.push(performance.now() - begunAtMs)
      if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode}`)
    }
    return times
  }
  try {
    await measureEach(warmUp)
    const cpuMsBefore = await cpuMs()
    const sorted = (await measureEach(paths)).toSorted((a, b) => a - b)
    return { p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99), cpuMs: ((await cpuMs()) - cpuMsBefore) / paths.length }
  } finally {
    agent.destroy()
  }
}
