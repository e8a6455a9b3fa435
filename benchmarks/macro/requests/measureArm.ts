import { startDevService } from './devService.ts'
import { startMicroCache } from './microCache.ts'
import type { RequestsResult } from './reportRequests.ts'
import { measureUpdates } from './updateLatency.ts'
import { load } from './wrk.ts'

const LISTS = 100
const SORTS = ['createdAt', 'marketCap', 'volume24h', 'liquidity', 'holders']

export interface Arm {
  readonly name: string
  readonly checkout: string
  readonly wrk: string
  readonly seconds: number
  /** Whether nginx is measured in front of it, too. */
  readonly hasMicroCache: boolean
  readonly print: (text: string) => void
}

/** Starts the service, and measures each kind of request, and updates without and with load. */
export async function measureArm({ name, checkout, wrk, seconds, hasMicroCache, print }: Arm): Promise<readonly RequestsResult[]> {
  const service = await startDevService(checkout)
  const measure = async (arm: string, url: string): Promise<RequestsResult> => {
    const kinds: Record<string, readonly string[]> = {
      '/healthz': ['/healthz'],
      'a list of 50 tokens': ['/api/tokens'],
      'a token': [`/api/tokens/${service.hotToken}`],
      'trades of a token': [`/api/tokens/${service.hotToken}/trades`],
      'candles of a token': [`/api/tokens/${service.hotToken}/candles`],
      'a search': ['/api/search?q=a'],
      '100 different lists': Array.from(
        { length: LISTS },
        (_, index) => `/api/tokens?sort=${SORTS[index % SORTS.length]}&limit=${30 + Math.floor(index / SORTS.length)}`,
      ),
    }
    const loads: RequestsResult['loads'] = {}
    for (const [kind, paths] of Object.entries(kinds)) {
      loads[kind] = await load(wrk, url, paths, seconds)
      print(`${arm}: ${kind}: ${Math.round(loads[kind].requestsPerSecond)} requests/s`)
    }
    return { arm, loads, updates: null }
  }
  const cache = hasMicroCache ? await startMicroCache(service.url) : null
  try {
    const idle = await measureUpdates(service.url, service.tokens, () => new Promise(resolve => setTimeout(resolve, 3_000 * seconds)))
    const loaded = await measureUpdates(service.url, service.tokens, async () => {
      await load(wrk, service.url, ['/api/tokens'], 3 * seconds)
    })
    const results: RequestsResult[] = [{ ...(await measure(name, service.url)), updates: { idle, loaded } }]
    if (cache !== null) results.push(await measure(`nginx, ${name}`, cache.url))
    return results
  } finally {
    await cache?.stop()
    await service.stop()
  }
}
