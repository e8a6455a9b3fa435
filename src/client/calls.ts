import {
  actorStateSchema,
  candleSchema,
  chainStatsSchema,
  claimableSchema,
  ethUsdSchema,
  holderSchema,
  indexerHealthSchema,
  pageSchema,
  tokenSchema,
  tradeSchema,
} from './resources.ts'
import type { Rest } from './rest.ts'
import type { RestCall } from './restCall.ts'
import type { Schema } from './schema.ts'
import type { OperatorOptions, Tokenwire } from './tokenwire.ts'

export type Calls = Pick<
  Tokenwire,
  'tokens' | 'token' | 'trades' | 'holders' | 'candles' | 'claimable' | 'search' | 'ethUsd' | 'chainStats' | 'health' | 'actors' | 'actor'
>

/** Every route of the API. */
export function calls(rest: Rest): Calls {
  const tokens = '/api/tokens'
  const health = '/api/indexer/health'
  const at = (address: string, rest = '') => `${tokens}/${encodeURIComponent(address)}${rest}`
  const get = <T>(schema: Schema<T>, path: string, options?: OperatorOptions, query?: object, alsoStatus?: number) =>
    rest.get({ path, query: query as RestCall<T>['query'], schema, options, alsoStatus })
  return {
    tokens: (query, options) => get(pageSchema(tokenSchema), tokens, options, query),
    token: (address, options) => get(tokenSchema, at(address), options),
    trades: (address, query, options) => get(pageSchema(tradeSchema), at(address, '/trades'), options, query),
    holders: (address, query, options) => get(pageSchema(holderSchema), at(address, '/holders'), options, query),
    candles: (address, query, options) => get(pageSchema(candleSchema), at(address, '/candles'), options, query),
    claimable: (address, creator, options) => get(claimableSchema, at(address, '/claimable'), options, { creator }),
    search: (q, query, options) => get(pageSchema(tokenSchema), '/api/search', options, { q, ...query }),
    ethUsd: options => get(ethUsdSchema, '/api/market/eth-usd', options),
    chainStats: options => get(chainStatsSchema, '/api/chain-stats', options),
    // A stalled indexer says so with 503, and its health is the very answer that was asked for.
    health: options => get(indexerHealthSchema, health, options, {}, 503),
    actors: (query, options) => get(pageSchema(actorStateSchema), `${health}/actors`, options, query),
    actor: (address, options) => get(actorStateSchema, `${health}/actors/${encodeURIComponent(address)}`, options),
  }
}
