import { formatDecimal, ONE, parseDecimal } from '#domain/decimal.ts'

/** The sorts by a value in USD, and the sorts by the same value in WETH, which have the same order: there is one price of ETH. */
export const USD_SORTS = {
  marketCapUsd: 'marketCap',
  liquidityUsd: 'liquidity',
  volumeUsd5m: 'volume5m',
  volumeUsd1h: 'volume1h',
  volumeUsd24h: 'volume24h',
} as const
export type UsdSort = keyof typeof USD_SORTS

/** The filters by a least value in USD, and the filters by the same value in WETH. */
export const USD_FILTERS = {
  minMarketCapUsd: 'minMarketCap',
  minLiquidityUsd: 'minLiquidity',
  minVolumeUsd24h: 'minVolume24h',
} as const
export type UsdFilter = keyof typeof USD_FILTERS
type WethFilter = (typeof USD_FILTERS)[UsdFilter]

type Asked = { readonly sort: string } & { readonly [Filter in UsdFilter | WethFilter]?: string }

/** A query without values in USD. */
export type InWeth<Query extends Asked> = Omit<Query, UsdFilter | 'sort'> & { readonly sort: Exclude<Query['sort'], UsdSort> }

/**
 * The query of a list of tokens with its values in USD turned into WETH at a price of ETH. A place in the list stays the same at another
 * price.
 *
 * @param ethUsd - USD per ETH as a plain decimal
 * @returns `null`: a filter needs the price and there is none
 */
export function tokensInWeth<Query extends Asked>(query: Query, ethUsd: string | null): InWeth<Query> | null {
  const { minMarketCapUsd: _, minLiquidityUsd: __, minVolumeUsd24h: ___, ...others } = query
  const sort = Object.hasOwn(USD_SORTS, query.sort) ? USD_SORTS[query.sort as UsdSort] : query.sort
  if (ethUsd === null && Object.keys(USD_FILTERS).some(inUsd => query[inUsd as UsdFilter] !== undefined)) return null
  const filters = Object.entries(USD_FILTERS).flatMap(([inUsd, inWeth]) => {
    const usd = query[inUsd as UsdFilter]
    return usd === undefined || ethUsd === null ? [] : [[inWeth, larger(leastWeth(usd, ethUsd), query[inWeth])]]
  })
  return { ...others, ...Object.fromEntries(filters), sort }
}

/** Rounded up, so that exactly the stored values of at least this amount are worth `usd`: they have at most as many decimals. */
function leastWeth(usd: string, ethUsd: string): string {
  const price = parseDecimal(ethUsd)
  return formatDecimal(((parseDecimal(usd) * ONE + price - 1n) / price) as typeof price)
}

function larger(a: string, b = '0'): string {
  return parseDecimal(a) > parseDecimal(b) ? a : b
}
