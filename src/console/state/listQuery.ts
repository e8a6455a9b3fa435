import type { Token, TokensQuery } from '#client/generated/types.ts'
import type { MarketQuery } from './route.ts'

/** Launch times are bounded in steps of this length, so that the service has one list for all pages with the same query. */
const AGE_STEP_SECONDS = 300

/** The sort and the filters of a list, as REST and the channel take them. */
export function listParameters({ sort, order, status, launchpad, creator, bounds }: MarketQuery, nowMs: number): TokensQuery {
  const { minMarketCap, minLiquidity, minVolume24h, minHolders, minGraduation, minAgeHours, maxAgeHours } = bounds
  return {
    sort,
    order,
    ...(status !== null && { status }),
    ...(launchpad !== null && { launchpad }),
    ...(creator !== null && { creator }),
    ...(minMarketCap !== null && { minMarketCap: String(minMarketCap) }),
    ...(minLiquidity !== null && { minLiquidity: String(minLiquidity) }),
    ...(minVolume24h !== null && { minVolume24h: String(minVolume24h) }),
    ...(minHolders !== null && { minHolders }),
    ...(minGraduation !== null && { minGraduation }),
    ...(minAgeHours !== null && { createdBefore: hoursAgo(minAgeHours, nowMs) }),
    ...(maxAgeHours !== null && { createdAfter: hoursAgo(maxAgeHours, nowMs) }),
  }
}

/** Whether a search result fits the filters, which the search itself does not take. */
export function fitsFilters(token: Token, { status, launchpad, creator, bounds }: MarketQuery, nowMs: number): boolean {
  const { minMarketCap, minLiquidity, minVolume24h, minHolders, minGraduation, minAgeHours, maxAgeHours } = bounds
  const { market, graduation } = token
  const created = Date.parse(token.createdAt) / 1_000
  return (
    (status === null || graduation.status === status) &&
    (launchpad === null || token.launchpad === launchpad) &&
    (creator === null || token.creator === creator) &&
    isAtLeast(market.marketCapWeth, minMarketCap) &&
    isAtLeast(market.liquidityWeth, minLiquidity) &&
    isAtLeast(market.volumeWeth.h24, minVolume24h) &&
    isAtLeast(market.holderCount, minHolders) &&
    isAtLeast(graduation.percent, minGraduation) &&
    (minAgeHours === null || created < hoursAgo(minAgeHours, nowMs)) &&
    (maxAgeHours === null || created > hoursAgo(maxAgeHours, nowMs))
  )
}

/** Unix seconds. */
const hoursAgo = (hours: number, nowMs: number) => Math.floor(nowMs / 1_000 / AGE_STEP_SECONDS) * AGE_STEP_SECONDS - hours * 3_600

function isAtLeast(value: number | string | null, bound: number | null): boolean {
  return bound === null || (value !== null && Number(value) >= bound)
}
