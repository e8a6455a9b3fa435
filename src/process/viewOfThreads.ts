import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { monotonicMs as now } from '#clock'
import { type GatewayReport, mergeActors, mergeFeeds, sortActors } from '#gateway/health/gatewayReport.ts'
import type { ProcessView, Reports } from '#gateway/health/processView.ts'
import type { FeedHealth, IndexerHealth } from '#resources/health.ts'
import type { GatewayThread } from './gatewayThreadCalls.ts'

/** A thread that takes longer counts as silent, and its last report is used. */
const PATIENCE_MS = 2_000
/** Actors per thread. Where connections are spread evenly, a token with many subscribers is among the first of at least one thread. */
const MAX_LISTED = 500

export interface ThreadsView extends Pick<ProcessView, 'reports' | 'actor' | 'listActors'> {
  /** The health, read by the first thread that answers in time; `null`: none does. */
  health(): Promise<IndexerHealth | null>
}

/** The reports of all gateway threads together. */
export function viewOfThreads(threads: readonly GatewayThread[], logger: Logger): ThreadsView {
  const last = new Map<GatewayThread, GatewayReport>()
  /** Since when each silent thread has not answered. */
  const silentSinceMs = new Map<GatewayThread, number>()

  /** `null`: the thread has never answered. */
  const reportOf = async (thread: GatewayThread): Promise<GatewayReport | null> => {
    const askedAtMs = now()
    const report = await inTime(thread.call('report'))
    if (report !== null) {
      silentSinceMs.delete(thread)
      last.set(thread, report)
      return report
    }
    const sinceMs = silentSinceMs.get(thread) ?? askedAtMs
    silentSinceMs.set(thread, sinceMs)
    logger.warn({ thread: thread.name }, 'a gateway thread does not answer')
    const earlier = last.get(thread)
    return earlier === undefined ? null : { ...earlier, feed: cutOff(earlier.feed, sinceMs) }
  }

  const reports = async (): Promise<Reports> => {
    const [earliest, ...others] = (await Promise.all(threads.map(reportOf))).filter(report => report !== null)
    // Whoever asks runs in one of the threads, so that one answers, though perhaps late.
    const first = earliest ?? (await Promise.race(threads.map(({ call }) => call('report'))))
    // Of a thread that has never answered, only this is known.
    const unheard = threads.filter(thread => !last.has(thread)).map(thread => cutOff(first.feed, silentSinceMs.get(thread) ?? now()))
    return [{ ...first, feed: mergeFeeds([first.feed, ...unheard]) }, ...others]
  }

  const actor: ProcessView['actor'] = async token => {
    const parts = await Promise.all(threads.map(({ call }) => inTime(call('actor', token))))
    return mergeActors(parts.filter(part => part !== null))
  }

  return {
    reports,
    actor,
    health: async () => {
      for (const { call } of threads) {
        const health = await inTime(call('health'))
        if (health !== null) return health
      }
      return null
    },
    listActors: async query => {
      const lists = await Promise.all(threads.map(({ call }) => inTime(call('listActors', { ...query, limit: MAX_LISTED }))))
      const tokens = new Set(lists.flatMap(list => (list ?? []).map(({ token }) => token)))
      const merged = await Promise.all([...tokens].map(actor))
      return sortActors(
        merged.filter(one => one !== null),
        query,
      )
    },
  }
}

/** The feed of a thread whose clients no commit reaches. */
function cutOff(feed: FeedHealth, sinceMs: number): FeedHealth {
  return { ...feed, connected: false, disconnectedMs: now() - sinceMs }
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
