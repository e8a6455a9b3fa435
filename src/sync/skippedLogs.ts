import type { ChainLog } from '#domain/block.ts'
import type { SourceLookup } from '#launchpads/logSource.ts'
import { sourceOf } from '#launchpads/logSource.ts'

/** How often logs of an event of a launchpad could not be decoded, since the start. */
export interface SkippedLogs {
  readonly launchpad: string
  /** The event's first topic. */
  readonly event: string
  readonly count: number
}

export interface SkippedLogCounter {
  note(logs: readonly ChainLog[], lookup: SourceLookup): void
  counts(): readonly SkippedLogs[]
}

/** Events that are decoded are few; this bounds the labels of the metric whatever a configuration maps. */
const MAX_COUNTED = 200
const OTHERS = { launchpad: 'others', event: 'others' }

export function createSkippedLogCounter(): SkippedLogCounter {
  const counts = new Map<string, SkippedLogs>()
  const count = ({ launchpad, event }: Omit<SkippedLogs, 'count'>) => {
    const key = `${launchpad} ${event}`
    const before = counts.get(key)
    if (before === undefined && counts.size >= MAX_COUNTED && launchpad !== OTHERS.launchpad) return count(OTHERS)
    counts.set(key, { launchpad, event, count: (before?.count ?? 0) + 1 })
  }
  return {
    note(logs, lookup) {
      for (const log of logs) count({ launchpad: sourceOf(log, { lookup })?.launchpad ?? 'unknown', event: log.topics[0] ?? 'none' })
    },
    counts: () => [...counts.values()],
  }
}
