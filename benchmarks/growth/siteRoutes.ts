import { drawRank, drawToken, type LoadRequest, type LoadRoute, type Parameters, pick, withQuery } from './draws.ts'
import { addressOf } from './hex.ts'
import { IDENTITY } from './loadTables.ts'
import { nameOf } from './names.ts'
import type { Random } from './random.ts'
import { END, FIRST_BLOCK, type GrowthScale, lastBlock, startOf } from './scale.ts'
import { WETH } from './tokenEvents.ts'
import { LAUNCHPADS } from './tokenPlan.ts'

const DAY_SECONDS = 86_400
const RESOLUTIONS = ['1S', '5S', '30S', '1', '5', '15', '30', '60', '240', '720', '1D', '1W']

/** What market-data sites and chart libraries ask for. */
export const SITE_ROUTES: readonly LoadRoute[] = [
  route('/api/tokens/<address>/supply/total', ofToken),
  route('/api/tokens/<address>/supply/circulating', ofToken),
  route('/coingecko/<launchpad>/tickers'),
  route('/coingecko/<launchpad>/pairs'),
  route('/coingecko/<launchpad>/historical_trades', historicalTrades),
  ...['/dexscreener', '/geckoterminal', '/dextools'].flatMap(site => [
    route(`${site}/<launchpad>/latest-block`),
    route(`${site}/<launchpad>/asset`, asset),
    route(`${site}/<launchpad>/pair`, pair),
    route(`${site}/<launchpad>/events`, newEvents),
    { ...route(`${site}/<launchpad>/events, 1000 blocks`, manyEvents), bulk: true },
  ]),
  route('/dextools/<launchpad>/block', block),
  route('/dextools/<launchpad>/asset/holders', holders),
  route('/dextools/<launchpad>/exchange', () => ({ id: IDENTITY.launchpads[0]?.contracts['factory'] })),
  route('/udf/symbols', symbol),
  route('/udf/search', udfSearch),
  route('/udf/history', history),
  { ...route('/udf/history, 7500 bars', longHistory), bulk: true },
  route('/udf/marks', marks),
  route('/udf/timescale_marks', marks),
]

type Draw = (scale: GrowthScale, random: Random) => Parameters & { readonly address?: string }

function route(name: string, draw: Draw = () => ({})): LoadRoute {
  const [path = ''] = name.split(',')
  return {
    route: name,
    share: 1,
    make: (scale, random): LoadRequest => {
      const { address = '', ...parameters } = draw(scale, random)
      return {
        route: name,
        path: withQuery(path.replace('<address>', address).replace('<launchpad>', LAUNCHPADS[0]), parameters),
        list: false,
      }
    },
  }
}

function ofToken(scale: GrowthScale, random: Random) {
  return { address: drawToken(scale, random) }
}

function asset(scale: GrowthScale, random: Random) {
  return { id: random.chance(0.8) ? drawToken(scale, random) : pick([WETH, addressOf('contract', 98), addressOf('contract', 99)], random) }
}

function pair(scale: GrowthScale, random: Random) {
  return { id: addressOf(pick(['pool', 'graduated'], random), drawRank(scale, random)) }
}

/** Of a site that keeps up. */
function newEvents(scale: GrowthScale, random: Random) {
  const toBlock = lastBlock(scale) - random.integer(0, 40_000)
  return { fromBlock: toBlock - random.integer(0, 30), toBlock }
}

/** Of one that reads the history; on the last day a thousand blocks have more events than an answer may have. */
function manyEvents(scale: GrowthScale, random: Random) {
  const fromBlock = random.integer(FIRST_BLOCK, lastBlock(scale) - 50_000)
  return { fromBlock, toBlock: fromBlock + 999 }
}

function block(scale: GrowthScale, random: Random) {
  return random.chance(0.5) ? { number: lastBlock(scale) - random.integer(0, 100_000) } : { timestamp: END - random.integer(0, 8_000) }
}

function holders(scale: GrowthScale, random: Random) {
  const page = random.chance(0.7) ? random.integer(0, 20) : random.integer(0, 1_000)
  return { id: drawToken(scale, random), page, pageSize: pick([10, 50], random) }
}

function historicalTrades(scale: GrowthScale, random: Random) {
  const times = random.chance(0.5) ? { start_time: drawTime(scale, random) } : {}
  return { ticker_id: `${drawToken(scale, random)}_${WETH}`, limit: pick([100, 500], random), ...times }
}

function symbol(scale: GrowthScale, random: Random) {
  return { symbol: drawToken(scale, random) }
}

function udfSearch(_scale: GrowthScale, random: Random) {
  const text = nameOf(random).symbol ?? ''
  return { query: text.slice(0, random.integer(0, text.length)), limit: 30 }
}

function history(scale: GrowthScale, random: Random) {
  const to = random.chance(0.6) ? END : drawTime(scale, random)
  return { ...symbol(scale, random), resolution: pick(RESOLUTIONS, random), to, countback: random.integer(100, 500) }
}

function longHistory(_scale: GrowthScale, random: Random) {
  return { symbol: addressOf('token', random.integer(0, 9)), resolution: pick(['1', '5'], random), from: 0, to: END }
}

function marks(scale: GrowthScale, random: Random) {
  const to = drawTime(scale, random)
  return { ...symbol(scale, random), from: to - 7 * DAY_SECONDS, to, resolution: pick(RESOLUTIONS, random) }
}

function drawTime(scale: GrowthScale, random: Random): number {
  return random.integer(startOf(scale), END)
}
