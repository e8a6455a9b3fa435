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
import type { Tokenwire } from './tokenwire.ts'

export type Calls = Pick<
  Tokenwire,
  'tokens' | 'token' | 'trades' | 'holders' | 'candles' | 'claimable' | 'search' | 'ethUsd' | 'chainStats' | 'health' | 'actors' | 'actor'
>

/** Every route of the API. */
export function calls(rest: Rest): Calls {
  const tokens = '/api/tokens'
  const health = '/api/indexer/health'
  const at = (address: string, rest = '') => `${tokens}/${encodeURIComponent(address)}${rest}`
  return {
    tokens: (query = {}, options) => rest.get({ path: tokens, query: { ...query }, schema: pageSchema(tokenSchema), options }),
    token: (address, options) => rest.get({ path: at(address), schema: tokenSchema, options }),
    trades: (address, query = {}, options) =>
      rest.get({ path: at(address, '/trades'), query: { ...query }, schema: pageSchema(tradeSchema), options }),
    holders: (address, query = {}, options) =>
      rest.get({ path: at(address, '/holders'), query: { ...query }, schema: pageSchema(holderSchema), options }),
    candles: (address, query = {}, options) =>
      rest.get({ path: at(address, '/candles'), query: { ...query }, schema: pageSchema(candleSchema), options }),
    claimable: (address, creator, options) =>
      rest.get({ path: at(address, '/claimable'), query: { creator }, schema: claimableSchema, options }),
    search: (q, query = {}, options) => rest.get({ path: '/api/search', query: { q, ...query }, schema: pageSchema(tokenSchema), options }),
    ethUsd: options => rest.get({ path: '/api/market/eth-usd', schema: ethUsdSchema, options }),
    chainStats: options => rest.get({ path: '/api/chain-stats', schema: chainStatsSchema, options }),
    // A stalled indexer says so with 503, and its health is the very answer that was asked for.
    health: options => rest.get({ path: health, schema: indexerHealthSchema, options, alsoStatus: 503 }),
    actors: (query = {}, options) =>
      rest.get({ path: `${health}/actors`, query: { ...query }, schema: pageSchema(actorStateSchema), options }),
    actor: (address, options) => rest.get({ path: `${health}/actors/${encodeURIComponent(address)}`, schema: actorStateSchema, options }),
  }
}
