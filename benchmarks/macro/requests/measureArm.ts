import { startPonder } from '#benchmarks/macro/backfill/peers.ts'
import { type ColdReads, measureColdReads } from './coldReads.ts'
import { type DevService, startDevService } from './devService.ts'
import { coldLists, ponderKinds, type RequestKinds, tokenwireKinds } from './kinds.ts'
import { startMicroCache } from './microCache.ts'
import type { RequestsResult } from './reportRequests.ts'
import { measureUpdates } from './updateLatency.ts'
import { load } from './wrk.ts'

export interface Arm {
  readonly name: string
  readonly checkout: string
  readonly wrk: string
  readonly seconds: number
  /** Whether nginx is measured in front of it, too. */
  readonly hasMicroCache: boolean
  /** Whether Ponder's API is measured on the same chain, too. */
  readonly hasPonder: boolean
  readonly print: (text: string) => void
}

/** Starts the service, and measures each kind of request, lists that were never asked for, and updates without and with load. */
export async function measureArm({
  name,
  checkout,
  wrk,
  seconds,
  hasMicroCache,
  hasPonder,
  print,
}: Arm): Promise<readonly RequestsResult[]> {
  const service = await startDevService(checkout)
  const { url, hotToken, tokens } = service
  const measure = async (arm: string, baseUrl: string, kinds: RequestKinds, cold: ColdReads | null = null): Promise<RequestsResult> => {
    const loads: RequestsResult['loads'] = {}
    for (const [kind, requests] of Object.entries(kinds)) {
      loads[kind] = await load(wrk, baseUrl, requests, seconds)
      print(`${arm}: ${kind}: ${Math.round(loads[kind].requestsPerSecond)} requests/s`)
    }
    return { arm, loads, cold, updates: null }
  }
  const cache = hasMicroCache ? await startMicroCache(url) : null
  try {
    const updates = await measureUpdates(url, tokens, {
      idle: () => new Promise(resolve => setTimeout(resolve, 1_000 * seconds)),
      loaded: async () => void (await load(wrk, url, ['/api/tokens'], seconds)),
    })
    const cold = await measureColdReads(url, coldLists())
    const results: RequestsResult[] = [{ ...(await measure(name, url, tokenwireKinds(hotToken), cold)), updates }]
    if (cache !== null) results.push(await measure(`nginx, ${name}`, cache.url, tokenwireKinds(hotToken)))
    if (hasPonder) results.push(await withPonder(service, ponderUrl => measure('Ponder', ponderUrl, ponderKinds(hotToken))))
    return results
  } finally {
    await cache?.stop()
    await service.stop()
  }
}

/** Ponder beside the service, on its chain and in its database, once it has indexed as far. */
async function withPonder<T>({ rpcUrl, databaseUrl, deployment, indexedBlock }: DevService, work: (url: string) => Promise<T>): Promise<T> {
  const ponder = await startPonder({ rpcUrl, databaseUrl, deployment })
  try {
    await ponder.indexed(await indexedBlock())
    return await work(ponder.url)
  } finally {
    await ponder.stop()
  }
}
