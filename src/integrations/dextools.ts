import { z } from 'zod'
import { flatMapInTurns } from '#async/turns.ts'
import type { Hex } from '#domain/address.ts'
import { jsonAnswer } from '#gateway/http/answer.ts'
import { invalidParameter, unavailable } from '#gateway/http/problem.ts'
import type { Route } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import {
  dextoolsAssetAnswer,
  dextoolsBlockAnswer,
  dextoolsEventsAnswer,
  dextoolsExchangeAnswer,
  dextoolsHoldersAnswer,
  dextoolsPairAnswer,
} from '#resources/integrations/dextools.ts'
import { latestBlockAnswer } from '#resources/integrations/marketData.ts'
import type { ListedAsset, ListedPair, PairEvent, SideAmounts } from '#resources/marketData.ts'
import { integerParameter } from '#resources/parameters.ts'
import {
  assetParameter,
  notFound,
  notYet,
  pairParameter,
  RANGE_PARAMETERS,
  readEvents,
  readPairOf,
  siteId,
  siteRoutes,
  toSiteAsset,
  toSiteBlock,
  toSitePair,
  toSiteReserves,
  toSwapAmounts,
} from './siteRoute.ts'

const MAX_PAGES = 1_000

/** DEXTools' HTTP adapter 0.0.1. Its errors have a `message` beside the members of a problem. */
export function dextoolsRoutes(sources: Pick<Sources, 'reads' | 'config' | 'feed'>): readonly Route[] {
  const { reads } = sources
  const siteRoute = siteRoutes(sources, { folder: 'dextools', id: 'Dextools', title: 'DEXTools' })
  const routes = [
    siteRoute({
      path: 'latest-block',
      operation: 'LatestBlock',
      summary: 'the newest final block',
      answer: latestBlockAnswer,
      handle: async (_values, { latest }) => jsonAnswer({ block: toSiteBlock(latest) }),
    }),
    siteRoute({
      path: 'block',
      operation: 'Block',
      summary: 'a final block by its number, or the newest one at a given time',
      parameters: z.object(BLOCK_PARAMETERS),
      answer: dextoolsBlockAnswer,
      handle: async ({ number, timestamp }, { latest }) => {
        if (number === undefined && timestamp === undefined) return invalidParameter('number or timestamp is required')
        if (number !== undefined && number > latest.number) return notYet(`the latest final block is ${latest.number}, got ${number}`)
        const block = await reads.block(number === undefined ? { timestamp: timestamp ?? 0 } : { number })
        const asked = number === undefined ? `at ${timestamp}` : String(number)
        return block === null ? notFound('block', asked) : jsonAnswer({ block: toSiteBlock(block) })
      },
    }),
    siteRoute({
      path: 'asset',
      operation: 'Asset',
      summary: 'a token, or a currency in which tokens are quoted',
      parameters: z.object({ id: assetParameter }),
      answer: dextoolsAssetAnswer,
      handle: async ({ id }) => {
        const asset = await reads.asset(id)
        return asset === null ? notFound('asset', id) : jsonAnswer({ asset: toDextoolsAsset(asset) })
      },
    }),
    siteRoute({
      path: 'asset/holders',
      operation: 'Holders',
      summary: 'the holders of a token, largest first',
      parameters: z.object(HOLDER_PARAMETERS),
      answer: dextoolsHoldersAnswer,
      handle: async ({ id, page, pageSize }) => {
        const [asset, holders] = [await reads.asset(id), await reads.holdersFrom(id, page * pageSize, pageSize)]
        if (asset === null || asset.holderCount === null) return notFound('asset', id)
        const listed = holders.map(({ address, balance }) => ({ address: siteId(address), quantity: balance }))
        return jsonAnswer({ asset: { id: siteId(id), totalHoldersCount: asset.holderCount, holders: listed } })
      },
    }),
    siteRoute({
      path: 'exchange',
      operation: 'Exchange',
      summary: 'a launchpad',
      parameters: z.object({ id: assetParameter.describe('Address of the launchpad’s factory, in any letter case.') }),
      answer: dextoolsExchangeAnswer,
      handle: async ({ id }, { launchpad }) => {
        if (launchpad.contracts['factory'] !== id) return notFound('exchange', id)
        return jsonAnswer({ exchange: { factoryAddress: siteId(id), name: launchpad.name, logoURL: '' } })
      },
    }),
    siteRoute({
      path: 'pair',
      operation: 'Pair',
      summary: 'the facts of a pool or curve that never change',
      parameters: z.object({ id: pairParameter }),
      answer: dextoolsPairAnswer,
      handle: async ({ id }, { launchpad }) => {
        const pair = await readPairOf(sources, id, launchpad)
        if (pair === null) return notFound('pair', id)
        const factory = launchpad.contracts['factory']
        return factory === undefined ? unavailable('data_unavailable', UNKNOWN_FACTORY) : jsonAnswer({ pair: toPair(pair, factory) })
      },
    }),
    siteRoute({
      path: 'events',
      operation: 'Events',
      summary: 'new pairs, trades and changes of liquidity in a range of blocks',
      parameters: z.object(RANGE_PARAMETERS),
      answer: dextoolsEventsAnswer,
      handle: async (range, shown) => {
        const read = await readEvents(sources, range, shown)
        return read.kind === 'problem' ? read : jsonAnswer({ events: (await flatMapInTurns(read.events, toDextoolsEvents)).sort(byPlace) })
      },
    }),
  ]
  return routes.map(route => ({ ...route, problemsHaveMessage: true }))
}

const UNKNOWN_FACTORY = 'the launchpad of this pair has no factory'

const BLOCK_PARAMETERS = {
  number: integerParameter(0, Number.MAX_SAFE_INTEGER).exactOptional().describe('Number of the block.'),
  timestamp: integerParameter(0, Number.MAX_SAFE_INTEGER)
    .exactOptional()
    .describe('Unix seconds: the newest final block at or before this time. Ignored if `number` is given.'),
}

const HOLDER_PARAMETERS = {
  id: assetParameter,
  page: integerParameter(0, MAX_PAGES).default(0).describe('Number of the page, from 0.'),
  pageSize: integerParameter(10, 50).default(10).describe('Holders per page.'),
}

function toPair(pair: ListedPair, factory: Hex) {
  const { dexKey: _dexKey, creator: _creator, ...rest } = toSitePair(pair)
  return { ...rest, factoryAddress: siteId(factory) }
}

type Placed = ReturnType<typeof toDextoolsEvents>[number]

function byPlace(a: Placed, b: Placed): number {
  return a.block.blockNumber - b.block.blockNumber || a.eventIndex - b.eventIndex
}

/* Answers in DEXTools' format. Amounts are decimals, and one index orders all events of a block. */

function toDextoolsAsset({ holderCount, totalSupply, circulatingSupply, ...asset }: ListedAsset) {
  return {
    ...toSiteAsset({ ...asset, holderCount, totalSupply: null, circulatingSupply: null, links: [] }),
    ...(totalSupply !== null && { totalSupply: withFraction(totalSupply) }),
    ...(circulatingSupply !== null && { circulatingSupply: withFraction(circulatingSupply) }),
    ...(holderCount !== null && { holdersCount: holderCount }),
  }
}

/** The events of one log; none for a pair whose reserves are in no event. */
function toDextoolsEvents(event: PairEvent) {
  const { blockNumber, timestamp, txHash, txIndex, maker, pair } = event
  const place = {
    block: toSiteBlock({ number: blockNumber, timestamp }),
    eventType: event.kind,
    txnId: txHash,
    txnIndex: txIndex,
    eventIndex: eventIndex(event),
    maker: siteId(maker),
    pairId: siteId(pair),
  }
  if (event.kind === 'creation') return event.pairType === 'uniswap-v4' ? [] : [place]
  if (event.reserves === null) return []
  const { token, quote } = fractions(event.amounts)
  return [
    {
      ...place,
      ...(event.kind === 'swap' ? toSwapAmounts(event.side, { token, quote }) : { amount0: token, amount1: quote }),
      reserves: toSiteReserves(fractions(event.reserves)),
    },
  ]
}

/** The place of an event within its block. One log may create a curve and a pool, and be a trade as well. */
function eventIndex({ kind, pairType, logIndex }: PairEvent): number {
  const rank = kind !== 'creation' ? 2 : pairType === 'curve' ? 0 : 1
  return 3 * logIndex + rank
}

function fractions({ token, quote }: SideAmounts): SideAmounts {
  return { token: withFraction(token), quote: withFraction(quote) }
}

function withFraction(amount: string): string {
  return amount.includes('.') ? amount : `${amount}.0`
}
