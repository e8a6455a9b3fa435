import { jsonAnswer } from '#gateway/http/answer.ts'
import { unavailable } from '#gateway/http/problem.ts'
import { type Route, resourceRoute } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { type ChainStats, indexTotals } from '#resources/chainStats.ts'
import { toUsd } from '#resources/usd.ts'

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
