import type { Route } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { geckoterminalAssetAnswer, geckoterminalEventsAnswer } from '#resources/integrations/marketData.ts'
import { blockAdapterRoutes } from './marketData/blockAdapter.ts'
import { toSiteAsset } from './marketData/siteAnswers.ts'

/** GeckoTerminal's integration standard 0.1. The site takes no event without reserves, and reads pools of Uniswap v4 itself. */
export function geckoterminalRoutes(sources: Pick<Sources, 'reads' | 'feed'>): readonly Route[] {
  return blockAdapterRoutes(sources, {
    folder: 'geckoterminal',
    name: 'Geckoterminal',
    site: 'GeckoTerminal',
    assetAnswer: geckoterminalAssetAnswer,
    eventsAnswer: geckoterminalEventsAnswer,
    toAsset: asset => ({ ...toSiteAsset(asset), decimals: asset.decimals }),
    takes: event => event.kind !== 'creation' && event.reserves !== null,
  })
}
