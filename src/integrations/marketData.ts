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
  pathsOfSite,
  RANGE_PARAMETERS,
  readEvents,
  toSiteAsset,
  toSiteBlock,
  toSiteEvents,
  toSitePair,
} from './siteRoute.ts'

/** The differences between the APIs of DEX Screener and GeckoTerminal. */
export interface BlockAdapter {
  readonly folder: string
  /** The name in operation ids. */
  readonly name: string
  /** The name of the site for people. */
  readonly site: string
  readonly assetAnswer: z.ZodType
  readonly eventsAnswer: z.ZodType
  toAsset(asset: ListedAsset): unknown
  takes(event: PairEvent): boolean
}

/** The four routes that both sites call, to read ranges of blocks up to the latest one, and to look up new pairs and assets. */
function blockAdapterRoutes(sources: Pick<Sources, 'reads' | 'feed'>, adapter: BlockAdapter): readonly Route[] {
  const { reads } = sources
  const { assetAnswer, eventsAnswer, toAsset, takes } = adapter
  return [
    ...pathsOfSite(sources, {
      ...adapter,
      path: 'latest-block',
      operation: 'LatestBlock',
      summary: 'the newest final block',
      answer: latestBlockAnswer,
      handle: async (_values, { latest }) => jsonAnswer({ block: toSiteBlock(latest) }),
    }),
    ...pathsOfSite(sources, {
      ...adapter,
      path: 'asset',
      operation: 'Asset',
      summary: 'a token, or a currency in which tokens are quoted',
      parameters: z.object({ id: assetParameter }),
      answer: assetAnswer,
      problems: ['not_found'],
      handle: async ({ id }) => {
        const asset = await reads.asset(id)
        return asset === null ? notFound('asset', id) : jsonAnswer({ asset: toAsset(asset) })
      },
    }),
    ...pathsOfSite(sources, {
      ...adapter,
      path: 'pair',
      operation: 'Pair',
      summary: 'the facts of a pool or curve that never change',
      parameters: z.object({ id: pairParameter }),
      answer: pairAnswer,
      problems: ['not_found'],
      handle: async ({ id }) => {
        const pair = await reads.pair(id)
        return pair === null ? notFound('pair', id) : jsonAnswer({ pair: toSitePair(pair) })
      },
    }),
    ...pathsOfSite(sources, {
      ...adapter,
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
