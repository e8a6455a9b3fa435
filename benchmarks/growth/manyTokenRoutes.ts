import { CANDLE_INTERVALS } from '#domain/candle.ts'
import { drawToken, type LoadRequest, type LoadRoute, pick, withQuery } from './draws.ts'
import type { Random } from './random.ts'
import type { GrowthScale } from './scale.ts'

/** The routes that read the same of many tokens at once. */
export const MANY_TOKEN_ROUTES: readonly LoadRoute[] = [
  { route: '/api/candles', share: 2, make: candlesOfMany },
  { route: '/api/sparklines', share: 4, make: sparklines },
]

const drawTokens = (count: number, scale: GrowthScale, random: Random) =>
  Array.from({ length: count }, () => drawToken(scale, random)).join(',')

function candlesOfMany(scale: GrowthScale, random: Random): LoadRequest {
  const route = '/api/candles'
  const tokens = drawTokens(random.integer(2, 50), scale, random)
  return { route, path: withQuery(route, { tokens, interval: pick(Object.keys(CANDLE_INTERVALS), random) }), list: false }
}

function sparklines(scale: GrowthScale, random: Random): LoadRequest {
  const route = '/api/sparklines'
  return { route, path: withQuery(route, { tokens: drawTokens(random.integer(20, 100), scale, random) }), list: false }
}
