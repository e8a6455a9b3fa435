import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { IndexerHealth } from '#domain/health.ts'
import { type GatewayReport, mergeActors, sortActors } from '#gateway/gatewayReport.ts'
import type { ProcessView, Reports } from '#gateway/processView.ts'
import type { GatewayThread } from './gatewayThreadCalls.ts'

/** A thread that takes longer is said to be silent, and its last report is used. */
const PATIENCE_MS = 2_000
/** Of each thread. Where connections are spread evenly, what many subscribe to is among the first of some thread. */
const MOST_LISTED = 500

export interface ThreadsView extends Pick<ProcessView, 'reports' | 'actor' | 'listActors'> {
  /** By any thread that answers in time; `null`: none does. */
  health(): Promise<IndexerHealth | null>
}

/** What all gateway threads say together. */
export function viewOfThreads(threads: readonly GatewayThread[], logger: Logger): ThreadsView {
  const last = new Map<GatewayThread, GatewayReport>()

  const reportOf = async (thread: GatewayThread): Promise<GatewayReport> => {
    const report = await inTime(thread.call('report'))
    if (report !== null) {
      last.set(thread, report)
      return report
    }
    logger.warn({ thread: thread.name }, 'a gateway thread does not answer')
    const earlier = last.get(thread) ?? (await thread.call('report'))
    // No commit reaches its clients.
    return { ...earlier, feed: { ...earlier.feed, connected: false } }
  }

  const actor: ProcessView['actor'] = async token => {
    const parts = await Promise.all(threads.map(({ call }) => inTime(call('actor', token))))
    return mergeActors(parts.filter(part => part !== null))
  }

  return {
    reports: async () => (await Promise.all(threads.map(reportOf))) as unknown as Reports,
    actor,
    health: async () => {
      for (const { call } of threads) {
        const health = await inTime(call('health'))
        if (health !== null) return health
      }
      return null
    },
    listActors: async query => {
      const lists = await Promise.all(threads.map(({ call }) => inTime(call('listActors', { ...query, limit: MOST_LISTED }))))
      const tokens = new Set(lists.flatMap(list => (list ?? []).map(({ token }) => token)))
      const merged = await Promise.all([...tokens].map(actor))
      return sortActors(
        merged.filter(one => one !== null),
        query,
      )
    },
  }
}

/** `null`: it takes too long. */
async function inTime<T>(answer: Promise<T>): Promise<T | null> {
  const answered = new AbortController()
  const late = pause(PATIENCE_MS, null, { ref: false, signal: answered.signal }).catch(() => null)
  try {
    return await Promise.race([answer, late])
  } finally {
    answered.abort()
  }
}
