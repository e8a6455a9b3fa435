import type { Route } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { dexscreenerAssetAnswer, dexscreenerEventsAnswer } from '#resources/integrations/marketData.ts'
import { blockAdapterRoutes } from './marketData/blockAdapter.ts'
import { toSiteAsset } from './marketData/siteAnswers.ts'

/** DEX Screener's adapter specification 1.1. */
export function dexscreenerRoutes(sources: Pick<Sources, 'reads' | 'feed'>): readonly Route[] {
  return blockAdapterRoutes(sources, {
    folder: 'dexscreener',
    name: 'Dexscreener',
    site: 'DEX Screener',
    assetAnswer: dexscreenerAssetAnswer,
    eventsAnswer: dexscreenerEventsAnswer,
    toAsset: toSiteAsset,
    takes: () => true,
  })
}
