import { CANDLE_INTERVALS } from '#domain/candle.ts'
import { HOLDER_TYPES } from '#domain/holder.ts'
import { HOLDING_SORTS } from '#domain/holding.ts'
import { TOKEN_SORTS } from '#domain/queries.ts'
import { TRADER_SORTS } from '#domain/trader.ts'
import { addressOf } from './hex.ts'
import { nameOf } from './names.ts'
import type { Random } from './random.ts'
import { blockAt, END, type GrowthScale, startOf } from './scale.ts'
import { LAUNCHPADS } from './tokenPlan.ts'

/** One request of the load. `list`: its answer may have a `nextCursor` for another request. */
export interface LoadRequest {
  readonly route: string
  readonly path: string
  readonly list: boolean
}

type Parameters = Readonly<Record<string, string | number | undefined>>

/** The requests by route, with each route's share of all requests. */
export const ROUTES: readonly {
  readonly route: string
  readonly share: number
  readonly make: (scale: GrowthScale, random: Random) => LoadRequest
}[] = [
  { route: '/api/tokens', share: 24, make: tokens },
  { route: '/api/tokens, filtered', share: 8, make: filteredTokens },
  {
    route: '/api/tokens/<address>',
    share: 14,
    make: (scale, random) => ({ route: '/api/tokens/<address>', path: `/api/tokens/${token(scale, random)}`, list: false }),
  },
  { route: '/api/tokens/<address>/trades', share: 16, make: trades },
  { route: '/api/tokens/<address>/holders', share: 12, make: holders },
  { route: '/api/tokens/<address>/traders', share: 4, make: traders },
  { route: '/api/tokens/<address>/candles', share: 14, make: candles },
  { route: '/api/tokens/<address>/claimable', share: 6, make: claimable },
  { route: '/api/trades', share: 4, make: marketTrades },
  { route: '/api/wallets/<address>', share: 3, make: wallet },
  { route: '/api/wallets/<address>/trades', share: 3, make: walletTrades },
  { route: '/api/wallets/<address>/holdings', share: 3, make: holdings },
  { route: '/api/wallets/<address>/claimable', share: 2, make: claims },
  { route: '/api/search', share: 8, make: search },
  { route: '/api/chain-stats', share: 4, make: plain('/api/chain-stats') },
  { route: '/api/market/eth-usd', share: 1, make: plain('/api/market/eth-usd') },
  { route: '/api/indexer/health', share: 1, make: plain('/api/indexer/health') },
]

function plain(path: string): () => LoadRequest {
  return () => ({ route: path, path, list: false })
}

function tokens(scale: GrowthScale, random: Random): LoadRequest {
  const route = '/api/tokens'
  const sort = random.chance(0.3) ? undefined : pick(TOKEN_SORTS, random)
  const order = random.chance(0.75) ? undefined : 'asc'
  const limit = random.chance(0.7) ? undefined : 100
  if (random.chance(0.1)) {
    const addresses = Array.from({ length: random.integer(2, 100) }, () => token(scale, random)).join(',')
    return { route, path: withQuery(route, { addresses, sort, order }), list: true }
  }
  const status = random.chance(0.35) ? pick(['none', 'bonding', 'completed', 'migrated'], random) : undefined
  const launchpad = random.chance(0.2) ? pick(LAUNCHPADS, random) : undefined
  // Every third of them asks for the creator with thousands of tokens.
  const creator = random.chance(0.15) ? addressOf('creator', random.chance(0.3) ? 0 : random.integer(0, scale.creators - 1)) : undefined
  return { route, path: withQuery(route, { sort, order, limit, status, launchpad, creator }), list: true }
}

/** By the size, age and progress of tokens, some of which few tokens pass. */
function filteredTokens(_: GrowthScale, random: Random): LoadRequest {
  const sort = random.chance(0.3) ? undefined : pick(TOKEN_SORTS, random)
  const filters: readonly Parameters[] = [
    { minMarketCap: pick(['1', '40', '1000'], random) },
    { minLiquidity: pick(['0.000001', '1', '100'], random), status: pick(['bonding', 'migrated'], random) },
    { minVolume24h: pick(['0.1', '10'], random) },
    { minHolders: random.integer(1, 500) },
    { minGraduation: random.integer(1, 100) },
    { createdAfter: END - random.integer(3_600, 30 * 86_400), minHolders: random.integer(1, 20) },
  ]
  const order = random.chance(0.85) ? undefined : 'asc'
  return { route: '/api/tokens, filtered', path: withQuery('/api/tokens', { sort, order, ...pick(filters, random) }), list: true }
}

/** Over all tokens, some, or some wallets. */
function marketTrades(scale: GrowthScale, random: Random): LoadRequest {
  const several = (make: () => string) => Array.from({ length: random.integer(1, 10) }, make).join(',')
  const filters: readonly Parameters[] = [
    {},
    { side: pick(['buy', 'sell'], random) },
    { minWeth: pick(['0.1', '1', '10'], random) },
    { tokens: several(() => token(scale, random)) },
    { makers: several(() => walletOf(scale, ofTrades(scale, random), random)) },
  ]
  return { route: '/api/trades', path: withQuery('/api/trades', { ...pick(filters, random) }), list: true }
}

function walletTrades(scale: GrowthScale, random: Random): LoadRequest {
  const side = random.chance(0.25) ? pick(['buy', 'sell'], random) : undefined
  const path = withQuery(`/api/wallets/${walletOf(scale, ofTrades(scale, random), random)}/trades`, { side })
  return { route: '/api/wallets/<address>/trades', path, list: true }
}

function trades(scale: GrowthScale, random: Random): LoadRequest {
  const route = '/api/tokens/<address>/trades'
  const rank = ofTrades(scale, random)
  const side = random.chance(0.25) ? pick(['buy', 'sell'], random) : undefined
  const maker = random.chance(0.2) ? walletOf(scale, rank, random) : undefined
  const fromBlock = random.chance(0.15) ? blockAt(scale, startOf(scale) + random.unit() * (END - startOf(scale))) : undefined
  const toBlock = random.chance(0.15) ? blockAt(scale, END) - random.integer(0, 500_000) : undefined
  const order = random.chance(0.85) ? undefined : 'asc'
  const limit = random.chance(0.85) ? undefined : 500
  const range = fromBlock !== undefined && toBlock !== undefined && fromBlock > toBlock ? {} : { fromBlock, toBlock }
  return { route, path: withQuery(`/api/tokens/${addressOf('token', rank)}/trades`, { side, maker, ...range, order, limit }), list: true }
}

function holders(scale: GrowthScale, random: Random): LoadRequest {
  const route = '/api/tokens/<address>/holders'
  const excludeType = random.chance(0.3)
    ? random.chance(0.2)
      ? 'wallet'
      : HOLDER_TYPES.filter(type => type !== 'wallet' && random.chance(0.6)).join(',') || undefined
    : undefined
  const limit = random.chance(0.85) ? undefined : 500
  return {
    route,
    path: withQuery(`/api/tokens/${addressOf('token', ofTrades(scale, random))}/holders`, { excludeType, limit }),
    list: true,
  }
}

function traders(scale: GrowthScale, random: Random): LoadRequest {
  const sort = random.chance(0.4) ? undefined : pick(TRADER_SORTS, random)
  const limit = random.chance(0.85) ? undefined : 500
  const path = withQuery(`/api/tokens/${addressOf('token', ofTrades(scale, random))}/traders`, { sort, limit })
  return { route: '/api/tokens/<address>/traders', path, list: true }
}

function wallet(scale: GrowthScale, random: Random): LoadRequest {
  const route = '/api/wallets/<address>'
  return { route, path: `/api/wallets/${walletOf(scale, ofTrades(scale, random), random)}`, list: false }
}

function holdings(scale: GrowthScale, random: Random): LoadRequest {
  const sort = random.chance(0.5) ? undefined : pick(HOLDING_SORTS, random)
  const path = withQuery(`/api/wallets/${walletOf(scale, ofTrades(scale, random), random)}/holdings`, { sort })
  return { route: '/api/wallets/<address>/holdings', path, list: true }
}

function claims(scale: GrowthScale, random: Random): LoadRequest {
  const creator = addressOf('creator', random.chance(0.2) ? 0 : random.integer(0, scale.creators - 1))
  return { route: '/api/wallets/<address>/claimable', path: `/api/wallets/${creator}/claimable`, list: true }
}

function candles(scale: GrowthScale, random: Random): LoadRequest {
  const route = '/api/tokens/<address>/candles'
  const interval = pick(Object.keys(CANDLE_INTERVALS), random)
  const to = random.chance(0.4) ? END - random.integer(0, END - startOf(scale)) : undefined
  const from = random.chance(0.4) ? Math.max(0, (to ?? END) - random.integer(3_600, 30 * 86_400)) : undefined
  const currency = random.chance(0.35) ? 'usd' : undefined
  const fill = random.chance(0.4) ? 'true' : undefined
  const limit = random.chance(0.85) ? undefined : 1_500
  const path = withQuery(`/api/tokens/${addressOf('token', ofTrades(scale, random))}/candles`, {
    interval,
    from,
    to,
    currency,
    fill,
    limit,
  })
  return { route, path, list: true }
}

function claimable(scale: GrowthScale, random: Random): LoadRequest {
  const creator = addressOf('creator', random.chance(0.2) ? 0 : random.integer(0, scale.creators - 1))
  return {
    route: '/api/tokens/<address>/claimable',
    path: withQuery(`/api/tokens/${token(scale, random)}/claimable`, { creator }),
    list: false,
  }
}

/** Search texts: the beginning of a name, a name, a name with a typing error, an address. */
function search(scale: GrowthScale, random: Random): LoadRequest {
  const { symbol, name } = nameOf(random)
  const text = random.chance(0.5) ? (symbol ?? 'pepe') : (name ?? 'Pepe')
  const at = random.unit()
  const typed =
    at < 0.45
      ? text.slice(0, random.integer(1, text.length))
      : at < 0.7
        ? text
        : at < 0.9
          ? slip(text, random)
          : token(scale, random).slice(0, random.integer(6, 42))
  return {
    route: '/api/search',
    path: withQuery('/api/search', { q: typed.trim() === '' ? 'a' : typed, limit: random.chance(0.8) ? undefined : 50 }),
    list: false,
  }
}

function slip(text: string, random: Random): string {
  const index = random.integer(0, text.length - 1)
  return `${text.slice(0, index)}${pick([...'aeioukst'], random)}${text.slice(index + 1)}`
}

/** Half of the requests are for the ten busiest tokens, the rest for all. */
function ofTrades(scale: GrowthScale, random: Random): number {
  return random.chance(0.5) ? random.integer(0, 9) : Math.floor(random.spread(1, scale.tokens)) % scale.tokens
}

function token(scale: GrowthScale, random: Random): string {
  return addressOf('token', ofTrades(scale, random))
}

/** Usually an address that has traded the token; see the generator. */
function walletOf({ wallets }: GrowthScale, rank: number, random: Random): string {
  return addressOf('wallet', (rank * 7_919 + random.integer(0, 50) * 104_729) % wallets)
}

function pick<T>(list: readonly T[], random: Random): T {
  return list[random.integer(0, list.length - 1)] as T
}

function withQuery(path: string, parameters: Parameters): string {
  const given = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]))
  return given.length === 0 ? path : `${path}?${given.join('&')}`
}
