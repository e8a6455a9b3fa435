import { setTimeout as pause } from 'node:timers/promises'
import { startPonder } from '#benchmarks/macro/backfill/peers.ts'
import { measureColdReads } from './coldReads.ts'
import { type DevService, type DevServiceOptions, startDevService } from './devService.ts'
import {
  coldLists,
  GOAL_KINDS,
  LISTS,
  LISTS_PER_SECOND,
  type LoadRequest,
  listsWithHotOne,
  ponderKinds,
  type RequestKinds,
  tokenwireKinds,
} from './kinds.ts'
import { startMicroCache } from './microCache.ts'
import type { RequestsResult } from './reportRequests.ts'
import { measureUpdates, type UpdateLatency } from './updateLatency.ts'
import { type Arrival, arrivalAt, load } from './wrk.ts'

export interface Arm extends DevServiceOptions {
  readonly name: string
  readonly wrk: string
  /** Of each load. */
  readonly seconds: number
  /** How often updates are measured without and with each load; 0: never. */
  readonly updateTurns: number
  /** Whether only the kinds of requests that the goals are about are measured. */
  readonly onlyGoals: boolean
  /** Whether nginx is measured in front of it, too. */
  readonly hasMicroCache: boolean
  /** Whether Ponder's API is measured on the same chain, too. */
  readonly hasPonder: boolean
  readonly print: (text: string) => void
}

const TURN_SECONDS = 10
/** Before each kind of request: the code that answers it is compiled meanwhile. */
const WARM_UP_SECONDS = 1

/** Hot answers are kept. */
const HOT_PAUSE_MS = 20
/** All lists are read again after a commit, which takes some tens of milliseconds. */
const LISTS_PAUSE_MS = 100

/** Starts the service, and measures each kind of request, lists that were never asked for, and updates without and with load. */
export async function measureArm(arm: Arm): Promise<readonly RequestsResult[]> {
  const { name, wrk, seconds, updateTurns, onlyGoals, hasMicroCache, hasPonder, print } = arm
  const service = await startDevService(arm)
  const { url, hotToken } = service
  const kinds = kindsOf(tokenwireKinds(hotToken), onlyGoals)
  const measure = async (arm: string, baseUrl: string, kinds: RequestKinds): Promise<RequestsResult> => {
    const loads: RequestsResult['loads'] = {}
    for (const [kind, requests] of Object.entries(kinds)) {
      await load(wrk, baseUrl, requests, WARM_UP_SECONDS)
      const cpuMsBefore = await service.cpuMs()
      const measured = await load(wrk, baseUrl, requests, seconds)
      const cpuMs = ((await service.cpuMs()) - cpuMsBefore) / (measured.requestsPerSecond * seconds)
      loads[kind] = { ...measured, cpuMs: baseUrl === url ? cpuMs : null }
      print(`${arm}: ${kind}: ${Math.round(loads[kind].requestsPerSecond)} requests/s`)
    }
    return { arm, loads, cold: null, updates: [] }
  }
  const cache = hasMicroCache ? await startMicroCache(url) : null
  try {
    const cold = await measureColdReads(service, coldLists())
    const measured = await measure(name, url, kinds)
    const updates = updateTurns === 0 ? [] : await updatesUnderLoad(service, wrk, updateTurns, measured.loads)
    const results: RequestsResult[] = [{ ...measured, cold, updates }]
    if (cache !== null) results.push(await measure(`nginx, ${name}`, cache.url, kinds))
    if (hasPonder) results.push(await withPonder(service, ponderUrl => measure('Ponder', ponderUrl, ponderKinds(hotToken))))
    return results
  } finally {
    await cache?.stop()
    await service.stop()
  }
}

function kindsOf(kinds: RequestKinds, onlyGoals: boolean): RequestKinds {
  return Object.fromEntries(Object.entries(kinds).filter(([kind]) => !onlyGoals || GOAL_KINDS.includes(kind)))
}

function updatesUnderLoad(
  { url, tokens, hotToken }: DevService,
  wrk: string,
  turns: number,
  rates: RequestsResult['loads'],
): Promise<readonly UpdateLatency[]> {
  const run = (requests: readonly LoadRequest[], arrival?: Arrival) => () => load(wrk, url, requests, TURN_SECONDS, arrival)
  const half = (rates['/healthz']?.requestsPerSecond ?? 0) / 2
  const lists = listsWithHotOne(hotToken)
  const loads = {
    none: async () => {
      await pause(1_000 * TURN_SECONDS)
      return null
    },
    'a list, as fast as it goes': run(['/api/tokens']),
    "a list and a token, half of /healthz's rate": run(['/api/tokens', `/api/tokens/${hotToken}`], arrivalAt(half, HOT_PAUSE_MS)),
    '100 lists, 6,300/s': run(lists, arrivalAt((LISTS_PER_SECOND * lists.length) / LISTS, LISTS_PAUSE_MS)),
  }
  return measureUpdates(url, tokens, loads, turns)
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
