import { z } from 'zod'
import { flatMapInTurns } from '#async/turns.ts'
import { jsonAnswer } from '#gateway/http/answer.ts'
import type { Route } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import {
  dexscreenerAssetAnswer,
  dexscreenerEventsAnswer,
  geckoterminalAssetAnswer,
  geckoterminalEventsAnswer,
  latestBlockAnswer,
  pairAnswer,
} from '#resources/integrations/marketData.ts'
import type { ListedAsset, PairEvent } from '#resources/marketData.ts'
import {
  assetParameter,
  notFound,
  pairParameter,
  RANGE_PARAMETERS,
  readEvents,
  readPairOf,
  type SiteNames,
  siteRoutes,
  toSiteAsset,
  toSiteBlock,
  toSiteEvents,
  toSitePair,
} from './siteRoute.ts'

/** The differences between the APIs of DEX Screener and GeckoTerminal. */
interface BlockAdapter extends SiteNames {
  readonly assetAnswer: z.ZodType
  readonly eventsAnswer: z.ZodType
  toAsset(asset: ListedAsset): unknown
  takes(event: PairEvent): boolean
}

type SiteSources = Pick<Sources, 'reads' | 'feed' | 'config'>

/** The four routes that both sites call, to read ranges of blocks up to the latest one, and to look up new pairs and assets. */
function blockAdapterRoutes(sources: SiteSources, adapter: BlockAdapter): readonly Route[] {
  const { assetAnswer, eventsAnswer, toAsset, takes } = adapter
  const siteRoute = siteRoutes(sources, adapter)
  return [
    siteRoute({
      path: 'latest-block',
      operation: 'LatestBlock',
      summary: 'the newest final block',
      answer: latestBlockAnswer,
      handle: async (_values, { latest }) => jsonAnswer({ block: toSiteBlock(latest) }),
    }),
    siteRoute({
      path: 'asset',
      operation: 'Asset',
      summary: 'a token, or a currency in which tokens are quoted',
      parameters: z.object({ id: assetParameter }),
      answer: assetAnswer,
      handle: async ({ id }) => {
        const asset = await sources.reads.asset(id)
        return asset === null ? notFound('asset', id) : jsonAnswer({ asset: toAsset(asset) })
      },
    }),
    siteRoute({
      path: 'pair',
      operation: 'Pair',
      summary: 'the facts of a pool or curve that never change',
      parameters: z.object({ id: pairParameter }),
      answer: pairAnswer,
      handle: async ({ id }, { launchpad }) => {
        const pair = await readPairOf(sources, id, launchpad)
        return pair === null ? notFound('pair', id) : jsonAnswer({ pair: toSitePair(pair) })
      },
    }),
    siteRoute({
      path: 'events',
      operation: 'Events',
      summary: 'trades and changes of liquidity in a range of blocks',
      parameters: z.object(RANGE_PARAMETERS),
      answer: eventsAnswer,
      handle: async (range, shown) => {
        const read = await readEvents(sources, range, shown)
        return read.kind === 'problem' ? read : jsonAnswer({ events: await flatMapInTurns(read.events.filter(takes), toSiteEvents) })
      },
    }),
  ]
}

/** DEX Screener's adapter specification 1.1. */
export function dexscreenerRoutes(sources: SiteSources): readonly Route[] {
  return blockAdapterRoutes(sources, {
    folder: 'dexscreener',
    id: 'Dexscreener',
    title: 'DEX Screener',
    assetAnswer: dexscreenerAssetAnswer,
    eventsAnswer: dexscreenerEventsAnswer,
    toAsset: toSiteAsset,
    takes: () => true,
  })
}

/** GeckoTerminal's integration standard 0.1. The site takes no event without reserves, and reads pools of Uniswap v4 itself. */
export function geckoterminalRoutes(sources: SiteSources): readonly Route[] {
  return blockAdapterRoutes(sources, {
    folder: 'geckoterminal',
    id: 'Geckoterminal',
    title: 'GeckoTerminal',
    assetAnswer: geckoterminalAssetAnswer,
    eventsAnswer: geckoterminalEventsAnswer,
    toAsset: asset => ({ ...toSiteAsset(asset), decimals: asset.decimals }),
    takes: event => event.kind !== 'creation' && event.reserves !== null,
  })
}
