import { CANDLE_INTERVALS, type CandleInterval } from '#domain/candle.ts'
import { EARLY_CLASSES, HOLDER_TYPES } from '#domain/holder.ts'
import { LEADER_WINDOWS } from '#domain/windows.ts'
import { TOKEN_SORTS } from '#resources/tokens.ts'
import { LEADER_SORTS, TRADER_SORTS } from '#resources/traders.ts'
import { HOLDING_SORTS } from '#resources/wallet.ts'
import {
  drawMaker,
  drawRank,
  drawToken,
  drawWallet,
  type LoadRequest,
  type LoadRoute,
  type Parameters,
  pick,
  severalOf,
  withQuery,
} from './draws.ts'
import { addressOf } from './hex.ts'
import { MANY_TOKEN_ROUTES } from './manyTokenRoutes.ts'
import { nameOf } from './names.ts'
import type { Random } from './random.ts'
import { blockAt, END, type GrowthScale, startOf } from './scale.ts'
import { SITE_ROUTES } from './siteRoutes.ts'
import { SURFACES } from './tokenEvents.ts'
import { LAUNCHPADS } from './tokenPlan.ts'

/** Every route that reads tables, with the shares of its requests. */
export const ROUTES: readonly LoadRoute[] = [
  { route: '/api/tokens', share: 24, make: tokens },
  { route: '/api/tokens, filtered', share: 8, make: filteredTokens },
  { route: '/api/tokens, by early wallets and surface', share: 4, make: earlyTokens },
  ofToken('/api/tokens/<address>', 14),
  { route: '/api/tokens/<address>/trades', share: 16, make: trades },
  { route: '/api/tokens/<address>/holders', share: 12, make: holders },
  ofToken('/api/tokens/<address>/holders/distribution', 3),
  ofToken('/api/tokens/<address>/early-wallets', 2),
  { route: '/api/tokens/<address>/traders', share: 4, make: traders },
  { route: '/api/tokens/<address>/traders, of a class', share: 2, make: classTraders },
  { route: '/api/tokens/<address>/candles', share: 14, make: candles },
  { route: '/api/tokens/<address>/claimable', share: 6, make: claimable },
  { ...ofToken('/api/tokens/<address>/stream', 4), stream: true },
  { route: '/api/stream', share: 2, stream: true, make: listStream },
  { route: '/api/traders', share: 2, make: leaders },
  { route: '/api/trades', share: 4, make: marketTrades },
  { route: '/api/trades, filtered', share: 3, make: filteredTrades },
  { route: '/api/wallets/<address>', share: 4, make: wallet },
  { route: '/api/wallets/<address>/trades', share: 4, make: walletTrades },
  { route: '/api/wallets/<address>/holdings', share: 4, make: holdings },
  { route: '/api/wallets/<address>/claimable', share: 4, make: claims },
  { route: '/api/search', share: 8, make: search },
  plain('/api/launchpads', 2),
  plain('/api/chain-stats', 4),
  ...['/api/market/eth-usd', '/api/indexer/health'].map(path => plain(path, 1)),
  ...MANY_TOKEN_ROUTES,
  ...SITE_ROUTES,
]

function plain(path: string, share: number): LoadRoute {
  return { route: path, share, make: () => ({ route: path, path, list: false }) }
}

function ofToken(route: string, share: number): LoadRoute {
  return { route, share, make: (scale, random) => ({ route, path: route.replace('<address>', drawToken(scale, random)), list: false }) }
}

function tokens(scale: GrowthScale, random: Random): LoadRequest {
  const route = '/api/tokens'
  const sort = random.chance(0.3) ? undefined : pick(TOKEN_SORTS, random)
  const order = random.chance(0.75) ? undefined : 'asc'
  const limit = random.chance(0.7) ? undefined : 100
  if (random.chance(0.1)) {
    const addresses = Array.from({ length: random.integer(2, 100) }, () => drawToken(scale, random)).join(',')
    return { route, path: withQuery(route, { addresses, sort, order }), list: true }
  }
  const status = random.chance(0.35) ? severalOf(2, random, () => pick(['none', 'bonding', 'completed', 'migrated'], random)) : undefined
  const launchpad = random.chance(0.2) ? severalOf(2, random, () => pick(LAUNCHPADS, random)) : undefined
  // Every third of them asks for the creator with thousands of tokens.
  const creator = random.chance(0.15) ? addressOf('creator', random.chance(0.3) ? 0 : random.integer(0, scale.creators - 1)) : undefined
  return { route, path: withQuery(route, { sort, order, limit, status, launchpad, creator }), list: true }
}

function listStream(_: GrowthScale, random: Random): LoadRequest {
  const path = withQuery('/api/stream', { channel: 'list', sort: pick(TOKEN_SORTS, random), limit: random.integer(10, 50) })
  return { route: '/api/stream', path, list: false }
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

/** By what early wallets hold, which no index has, and by the front end of the launch. */
function earlyTokens(_: GrowthScale, random: Random): LoadRequest {
  const sort = random.chance(0.3) ? undefined : pick(TOKEN_SORTS, random)
  const percent = random.integer(0, 30)
  const filters: readonly Parameters[] = [
    { maxSniperPercent: percent, maxBundlerPercent: percent },
    { maxInsiderPercent: percent, minHolders: 10 },
    { maxCreatorPercent: percent, status: 'migrated' },
    { surface: pick(SURFACES, random) },
    { surface: pick(SURFACES, random), maxSniperPercent: percent },
  ]
  const path = withQuery('/api/tokens', { sort, ...pick(filters, random) })
  return { route: '/api/tokens, by early wallets and surface', path, list: true }
}

/** The newest over all tokens, of some, or of some wallets. */
function marketTrades(scale: GrowthScale, random: Random): LoadRequest {
  const filters: readonly Parameters[] = [
    {},
    { side: pick(['buy', 'sell'], random) },
    { tokens: severalOf(random.chance(0.2) ? 100 : 10, random, () => drawToken(scale, random)) },
    { makers: severalOf(20, random, () => drawWallet(scale, random)) },
  ]
  return { route: '/api/trades', path: withQuery('/api/trades', { ...pick(filters, random), limit: tradeLimit(random) }), list: true }
}

/** By size, launchpad and time, of which the indexes hold some. */
function filteredTrades(scale: GrowthScale, random: Random): LoadRequest {
  const time = Math.floor(startOf(scale) + random.unit() * (END - startOf(scale)))
  const filters: readonly Parameters[] = [
    { minWeth: pick(['0.001', '0.1', '1', '10'], random) },
    { launchpad: pick(LAUNCHPADS, random) },
    { to: time },
    { from: time, order: 'asc' },
    { minWeth: pick(['0.1', '1'], random), tokens: severalOf(10, random, () => drawToken(scale, random)) },
    { minWeth: '0.5', makers: severalOf(10, random, () => drawWallet(scale, random)) },
  ]
  return { route: '/api/trades, filtered', path: withQuery('/api/trades', pick(filters, random)), list: true }
}

function walletTrades(scale: GrowthScale, random: Random): LoadRequest {
  const filters: readonly Parameters[] = [
    {},
    {},
    { side: pick(['buy', 'sell'], random) },
    { minWeth: '0.1' },
    { launchpad: pick(LAUNCHPADS, random) },
    { tokens: severalOf(10, random, () => drawToken(scale, random)) },
  ]
  const path = `/api/wallets/${drawWallet(scale, random)}/trades`
  return {
    route: '/api/wallets/<address>/trades',
    path: withQuery(path, { ...pick(filters, random), limit: tradeLimit(random) }),
    list: true,
  }
}

function tradeLimit(random: Random): number | undefined {
  return random.chance(0.9) ? undefined : 500
}

function trades(scale: GrowthScale, random: Random): LoadRequest {
  const route = '/api/tokens/<address>/trades'
  const rank = drawRank(scale, random)
  const side = random.chance(0.25) ? pick(['buy', 'sell'], random) : undefined
  const maker = random.chance(0.2) ? drawMaker(scale, rank, random) : undefined
  const minWeth = random.chance(0.15) ? pick(['0.001', '0.1', '1'], random) : undefined
  const fromBlock = random.chance(0.15) ? blockAt(scale, startOf(scale) + random.unit() * (END - startOf(scale))) : undefined
  const toBlock = random.chance(0.15) ? blockAt(scale, END) - random.integer(0, 500_000) : undefined
  const order = random.chance(0.85) ? undefined : 'asc'
  const limit = random.chance(0.85) ? undefined : 500
  if (random.chance(0.05))
    return {
      route,
      path: withQuery(`/api/tokens/${addressOf('token', rank)}/trades`, { sort: 'size', side, minWeth, order, limit }),
      list: true,
    }
  const range = fromBlock !== undefined && toBlock !== undefined && fromBlock > toBlock ? {} : { fromBlock, toBlock }
  return {
    route,
    path: withQuery(`/api/tokens/${addressOf('token', rank)}/trades`, { side, maker, minWeth, ...range, order, limit }),
    list: true,
  }
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
    path: withQuery(`/api/tokens/${addressOf('token', drawRank(scale, random))}/holders`, { excludeType, limit }),
    list: true,
  }
}

function leaders(_: GrowthScale, random: Random): LoadRequest {
  const route = '/api/traders'
  const launchpad = random.chance(0.3) ? pick(LAUNCHPADS, random) : undefined
  const limit = random.chance(0.7) ? undefined : 500
  const path = withQuery(route, { window: pick(LEADER_WINDOWS, random), sort: pick(LEADER_SORTS, random), launchpad, limit })
  return { route, path, list: true }
}

function traders(scale: GrowthScale, random: Random): LoadRequest {
  const sort = random.chance(0.4) ? undefined : pick(TRADER_SORTS, random)
  const limit = random.chance(0.85) ? undefined : 500
  const path = withQuery(`/api/tokens/${addressOf('token', drawRank(scale, random))}/traders`, { sort, limit })
  return { route: '/api/tokens/<address>/traders', path, list: true }
}

function classTraders(scale: GrowthScale, random: Random): LoadRequest {
  const query = { class: pick(EARLY_CLASSES, random), sort: pick(TRADER_SORTS, random) }
  const path = withQuery(`/api/tokens/${addressOf('token', drawRank(scale, random))}/traders`, query)
  return { route: '/api/tokens/<address>/traders, of a class', path, list: true }
}

function wallet(scale: GrowthScale, random: Random): LoadRequest {
  const route = '/api/wallets/<address>'
  return { route, path: `/api/wallets/${drawWallet(scale, random)}`, list: false }
}

function holdings(scale: GrowthScale, random: Random): LoadRequest {
  const sort = random.chance(0.5) ? undefined : pick(HOLDING_SORTS, random)
  const path = withQuery(`/api/wallets/${drawWallet(scale, random)}/holdings`, { sort })
  return { route: '/api/wallets/<address>/holdings', path, list: true }
}

function claims(scale: GrowthScale, random: Random): LoadRequest {
  const creator = addressOf('creator', random.chance(0.2) ? 0 : random.integer(0, scale.creators - 1))
  return { route: '/api/wallets/<address>/claimable', path: `/api/wallets/${creator}/claimable`, list: true }
}

function candles(scale: GrowthScale, random: Random): LoadRequest {
  const route = '/api/tokens/<address>/candles'
  const interval = pick(Object.keys(CANDLE_INTERVALS) as CandleInterval[], random)
  // Candles of seconds are kept for a day, and older ones are refused.
  const [age, length] = CANDLE_INTERVALS[interval] < 60 ? [10 * 3_600, 8 * 3_600] : [END - startOf(scale), 30 * 86_400]
  const to = random.chance(0.4) ? END - random.integer(0, age) : undefined
  const from = random.chance(0.4) ? Math.max(0, (to ?? END) - random.integer(3_600, length)) : undefined
  const currency = random.chance(0.35) ? 'usd' : undefined
  const fill = random.chance(0.4) ? 'true' : undefined
  const limit = random.chance(0.85) ? undefined : 1_500
  const path = withQuery(`/api/tokens/${addressOf('token', drawRank(scale, random))}/candles`, {
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
    path: withQuery(`/api/tokens/${drawToken(scale, random)}/claimable`, { creator }),
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
          : drawToken(scale, random).slice(0, random.integer(6, 42))
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
