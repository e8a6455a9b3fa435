import { jsonAnswer } from '#gateway/http/answer.ts'
import { unavailable } from '#gateway/http/problem.ts'
import { launchingEntries, type Route, resourceRoute } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { type ChainStats, indexTotals, type Launchpad, type LaunchpadTotals, launchpads } from '#resources/chainStats.ts'
import { toUsd } from '#resources/values.ts'

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

export function chainStatsRoute({ reads, indexer, ethUsd }: Pick<Sources, 'reads' | 'indexer' | 'ethUsd'>): Route {
  return resourceRoute(indexTotals, async () => {
    const indexed = await reads.chainStats()
    if (indexed === null) return unavailable('data_unavailable', 'nothing is indexed yet')
    const { headBlock, blockTimeMs, baseFeeGwei } = indexer.chain()
    const { chainId, indexedBlock, volumeUsd24h: _, liquidityWeth, asOfBlock, updatedAt, ...counts } = indexed
    return jsonAnswer({
      chainId,
      headBlock: headBlock === null ? null : String(headBlock),
      indexedBlock,
      blockTimeMs,
      baseFeeGwei,
      ...counts,
      volumeUsd24h: toUsd(counts.volumeWeth24h, ethUsd.ethUsd()),
      liquidityWeth,
      asOfBlock,
      updatedAt,
    } satisfies ChainStats)
  })
}
