import type { Token, TokensQuery } from '#client/generated/types.ts'
import type { MarketQuery } from './route.ts'

/** Launch times are bounded in steps of this length, so that the service has one list for all pages with the same query. */
const AGE_STEP_SECONDS = 300

/** The sort and the filters of a list, as REST and the channel take them. */
export function listParameters({ sort, order, status, launchpad, bounds }: MarketQuery, nowMs: number): TokensQuery {
  const { minMarketCap, minLiquidity, minHolders, maxAgeHours } = bounds
  return {
    sort,
    order,
    ...(status !== null && { status }),
    ...(launchpad !== null && { launchpad }),
    ...(minMarketCap !== null && { minMarketCap: String(minMarketCap) }),
    ...(minLiquidity !== null && { minLiquidity: String(minLiquidity) }),
    ...(minHolders !== null && { minHolders }),
    ...(maxAgeHours !== null && { createdAfter: youngerThan(maxAgeHours, nowMs) }),
  }
}

/** Whether a search result fits the filters, which the search itself does not take. */
export function fitsFilters(token: Token, { status, launchpad, bounds }: MarketQuery, nowMs: number): boolean {
  const { minMarketCap, minLiquidity, minHolders, maxAgeHours } = bounds
  const { market, graduation } = token
  return (
    (status === null || graduation.status === status) &&
    (launchpad === null || token.launchpad === launchpad) &&
    isAtLeast(market.marketCapWeth, minMarketCap) &&
    isAtLeast(market.liquidityWeth, minLiquidity) &&
    isAtLeast(market.holderCount, minHolders) &&
    (maxAgeHours === null || Date.parse(token.createdAt) / 1_000 > youngerThan(maxAgeHours, nowMs))
  )
}

/** Unix seconds. */
const youngerThan = (hours: number, nowMs: number) => Math.floor(nowMs / 1_000 / AGE_STEP_SECONDS) * AGE_STEP_SECONDS - hours * 3_600

function isAtLeast(value: number | string | null, bound: number | null): boolean {
  return bound === null || (value !== null && Number(value) >= bound)
}
