import { createContext } from '#client/context.ts'
import { pageShape } from '#client/pageShape.ts'
import { addressShape, integerShape, percentShape, sequenceShape, tradeShape } from '#client/resourceShapes.ts'
import { createRest } from '#client/rest.ts'
import type { Result } from '#client/result.ts'
import { listOf, object, type Shape } from '#client/shape.ts'
import type { CallOptions, ListPage } from '#client/tokenwire.ts'
import type { HolderDistribution } from '#domain/holderDistribution.ts'
import type { Trade } from '#domain/trade.ts'

interface PageParameters {
  readonly limit?: number
  readonly cursor?: string
}

/** Requests that the client has no call for. They fail as the client's do. */
export interface MarketApi {
  /** Trades over all tokens, the newest first. */
  marketTrades(query: PageParameters, options?: CallOptions): Promise<Result<ListPage<Trade>>>
  walletTrades(wallet: string, query: PageParameters, options?: CallOptions): Promise<Result<ListPage<Trade>>>
  distribution(token: string, options?: CallOptions): Promise<Result<HolderDistribution>>
}

const distributionShape: Shape<HolderDistribution> = object({
  token: addressShape,
  holderCount: sequenceShape,
  topTenPercent: percentShape,
  creatorPercent: percentShape,
  reservePercent: percentShape,
  sizes: listOf(object({ minPercent: percentShape, holders: sequenceShape, percent: percentShape })),
  asOfBlock: integerShape,
})

const tradesShape = pageShape(tradeShape)

export function createMarketApi(url: string): MarketApi {
  const call = createRest(createContext({ url }, new AbortController().signal))
  return {
    marketTrades: (query, options) => call({ path: '/api/trades', query, shape: tradesShape, options }),
    walletTrades: (wallet, query, options) => call({ path: `/api/wallets/${wallet}/trades`, query, shape: tradesShape, options }),
    distribution: (token, options) => call({ path: `/api/tokens/${token}/holders/distribution`, shape: distributionShape, options }),
  }
}
