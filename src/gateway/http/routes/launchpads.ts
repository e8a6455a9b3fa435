import { jsonAnswer } from '#gateway/http/answer.ts'
import { launchingEntries } from '#gateway/http/launchingEntries.ts'
import { type Route, resourceRoute } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { type Launchpad, type LaunchpadTotals, launchpads } from '#resources/launchpads.ts'

/** The launchpads of `launchpads.json`, in its order, with or without tokens. */
export function launchpadsRoute({ reads, config }: Pick<Sources, 'reads' | 'config'>): Route {
  return resourceRoute(launchpads, async () => {
    const { data: totals, asOfBlock } = await reads.launchpads()
    const data = launchingEntries(config.launchpads).map(({ name, adapter }): Launchpad => {
      const { name: _, ...counts } = totals.find(one => one.name === name) ?? { ...EMPTY, name }
      return { name, adapter, ...counts, graduationRate: graduationRate(counts) }
    })
    return jsonAnswer({ data, nextCursor: null, asOfBlock })
  })
}

const EMPTY = { tokens: 0, tokens24h: 0, bonding: 0, completed: 0, migrated: 0, volumeWeth24h: '0', trades24h: 0 }

function graduationRate({ bonding, completed, migrated }: Pick<LaunchpadTotals, 'bonding' | 'completed' | 'migrated'>): number | null {
  const graduated = completed + migrated
  return graduated + bonding === 0 ? null : Math.round((graduated / (graduated + bonding)) * 1_000_000) / 10_000
}
