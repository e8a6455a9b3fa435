import type { ClientContext } from '#client/context.ts'
import type { OperatorOptions, RestApi } from '#client/tokenwire.ts'
import * as ofProcesses from './healthShapes.ts'
import * as ofMarket from './marketShapes.ts'
import { operatorPageShape, pageShape } from './pageShape.ts'
import * as shapes from './resourceShapes.ts'
import { createRest } from './rest.ts'
import type { Shape } from './shape.ts'
import * as ofWallets from './walletShapes.ts'

export function createRestApi(context: ClientContext): RestApi {
  const call = createRest(context)
  const tokens = '/api/tokens'
  const wallets = '/api/wallets'
  const health = '/api/indexer/health'
  const at = (address: string, resource = '', of = tokens) => `${of}/${encodeURIComponent(address)}${resource}`
  const get = <T>(shape: Shape<T>, path: string, options?: OperatorOptions, query?: object, alsoStatus?: number) =>
    call({ path, query, shape, options, alsoStatus })
  return {
    tokens: (query, options) => get(pageShape(shapes.tokenShape), tokens, options, query),
    token: (address, options) => get(shapes.tokenShape, at(address), options),
    trades: (address, query, options) => get(pageShape(shapes.tradeShape), at(address, '/trades'), options, query),
    holders: (address, query, options) => get(pageShape(shapes.holderShape), at(address, '/holders'), options, query),
    candles: (address, query, options) => get(pageShape(shapes.candleShape), at(address, '/candles'), options, query),
    marketTrades: (query, options) => get(pageShape(shapes.tradeShape), '/api/trades', options, query),
    distribution: (address, options) => get(ofMarket.distributionShape, at(address, '/holders/distribution'), options),
    traders: (address, query, options) => get(pageShape(ofWallets.traderShape), at(address, '/traders'), options, query),
    wallet: (address, options) => get(ofWallets.walletShape, at(address, '', wallets), options),
    holdings: (address, query, options) => get(pageShape(ofWallets.holdingShape), at(address, '/holdings', wallets), options, query),
    walletTrades: (address, query, options) => get(pageShape(shapes.tradeShape), at(address, '/trades', wallets), options, query),
    claims: (address, query, options) => get(pageShape(ofWallets.walletClaimShape), at(address, '/claimable', wallets), options, query),
    claimable: (address, creator, options) => get(ofWallets.claimableShape, at(address, '/claimable'), options, { creator }),
    search: (q, query, options) => get(pageShape(shapes.tokenShape), '/api/search', options, { q, ...query }),
    launchpads: options => get(pageShape(ofMarket.launchpadShape), '/api/launchpads', options),
    ethUsd: options => get(shapes.ethUsdShape, '/api/market/eth-usd', options),
    chainStats: options => get(shapes.chainStatsShape, '/api/chain-stats', options),
    // A stalled indexer answers 503 with its health in the body.
    health: options => get(ofProcesses.indexerHealthShape, health, options, {}, 503),
    processes: options => get(operatorPageShape(ofProcesses.processStateShape), `${health}/processes`, options),
    actors: (query, options) => get(operatorPageShape(ofProcesses.actorStateShape), `${health}/actors`, options, query),
    actor: (address, options) => get(ofProcesses.actorStateShape, at(address, '', `${health}/actors`), options),
  }
}
