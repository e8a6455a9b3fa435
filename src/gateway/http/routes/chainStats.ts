import type { ChainStats } from '#domain/chainStats.ts'
import { toUsd } from '#domain/usd.ts'
import { jsonAnswer } from '#gateway/http/answer.ts'
import { unavailable } from '#gateway/http/problem.ts'
import { type Route, type RouteDescription, resource } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { chainStatsSchema } from '#protocol/schemas/resources.ts'

const description: RouteDescription = {
  id: 'getChainStats',
  tag: 'Market',
  summary: 'Totals of the index',
  answer: chainStatsSchema,
  problems: ['data_unavailable'],
}

export function chainStatsRoute({ reads, indexer, ethUsd }: Pick<Sources, 'reads' | 'indexer' | 'ethUsd'>): Route {
  return resource({ path: '/api/chain-stats', cacheControl: 'seconds', keptUntil: () => 'commit', description }, async () => {
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
