import { z } from 'zod'
import { formatDecimal, ONE, parseDecimal } from '#domain/decimal.ts'
import { TEXT_LIMITS } from '#domain/text.ts'
import { GRADUATION_STATUSES } from '#domain/token.ts'
import {
  addressParameter,
  cursorParameter,
  decimalParameter,
  integerParameter,
  launchpadParameter,
  listParameter,
  percentParameter,
  textParameter,
  unixSeconds,
  wordParameter,
} from './parameters.ts'
import { cursorAddress, cursorCount, cursorDecimal, cursorDouble, cursorTime, defineList, type QueryOf } from './resource.ts'
import { tokenSchema, withUsd } from './token.ts'
import { addressText, count, decimalText, INT32_MAX, type Wire } from './values.ts'

/** The sorts by a value in USD, and the sorts by the same value in WETH, which have the same order: there is one price of ETH. */
const USD_SORTS = {
  marketCapUsd: 'marketCap',
  liquidityUsd: 'liquidity',
  volumeUsd5m: 'volume5m',
  volumeUsd1h: 'volume1h',
  volumeUsd24h: 'volume24h',
} as const
type UsdSort = keyof typeof USD_SORTS

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
type InWeth<Query extends Asked> = Omit<Query, UsdFilter | 'sort'> & { readonly sort: Exclude<Query['sort'], UsdSort> }

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

/** The most rows of a page, and the most addresses of a request. */
const MAX_LISTED_TOKENS = 100
const DEFAULT_ROWS = 50

/** The sorts, and how a cursor holds the value of each. */
const SORTS = {
  createdAt: cursorTime,
  marketCap: cursorDecimal,
  volume5m: cursorDecimal,
  volume1h: cursorDecimal,
  volume24h: cursorDecimal,
  priceChange5m: cursorDouble,
  priceChange1h: cursorDouble,
  priceChange24h: cursorDouble,
  liquidity: cursorDecimal,
  holders: cursorCount,
  trades5m: cursorCount,
  trades1h: cursorCount,
  trades24h: cursorCount,
  lastTradeAt: cursorTime,
  graduation: cursorDouble,
  migratedAt: cursorTime,
  trending: cursorCount,
} as const
/** The sorts of the store. Requests have those by values in USD besides. */
export type TokenSort = keyof typeof SORTS
export const TOKEN_SORTS = Object.keys(SORTS) as readonly TokenSort[]

const USD_SORT_NAMES = Object.keys(USD_SORTS) as readonly UsdSort[]

/** The parameters that decide the tokens of a list and their order, without the parameters of the page. */
export const tokenListFilters = {
  sort: wordParameter([...TOKEN_SORTS, ...USD_SORT_NAMES])
    .default('createdAt')
    .describe(
      'What the tokens are sorted by. Tokens without a value come last. `trending`: buyers per hour in the last hour, ' +
        'in the last 6 hours and in the last 24 hours, added up; an account counts once in each window. Those in USD have the order of ' +
        'the same in WETH, at the present price of ETH.',
    ),
  order: wordParameter(['asc', 'desc']).default('desc').describe('Whether the sort ascends or descends.'),
  status: listParameter(wordParameter(GRADUATION_STATUSES), GRADUATION_STATUSES.length, `of ${GRADUATION_STATUSES.join(', ')}`)
    .exactOptional()
    .describe('Only tokens of these graduation statuses.'),
  creator: addressParameter.exactOptional().describe('Only tokens of this creator.'),
  launchpad: launchpadParameter.exactOptional().describe('Only tokens of these launchpads.'),
  addresses: listParameter(addressParameter, MAX_LISTED_TOKENS, 'addresses (0x and 40 hex digits)')
    .exactOptional()
    .describe('Only these tokens. An address that is not an indexed token is left out.'),
  minMarketCap: decimalParameter.exactOptional().describe('Only tokens with a market cap of at least this amount of WETH.'),
  minLiquidity: decimalParameter.exactOptional().describe('Only tokens with a liquidity of at least this amount of WETH.'),
  minVolume24h: decimalParameter
    .exactOptional()
    .describe('Only tokens with a volume of at least this amount of WETH in the last 24 hours.'),
  minMarketCapUsd: usdParameter('a market cap'),
  minLiquidityUsd: usdParameter('a liquidity'),
  minVolumeUsd24h: usdParameter('a volume in the last 24 hours'),
  minHolders: integerParameter(0, INT32_MAX).exactOptional().describe('Only tokens with at least this number of holders.'),
  minGraduation: percentParameter.exactOptional().describe('Only tokens that raised at least this percentage of their target.'),
  maxSniperPercent: heldParameter('snipers hold'),
  maxBundlerPercent: heldParameter('bundlers hold'),
  maxInsiderPercent: heldParameter('insiders hold'),
  maxCreatorPercent: heldParameter('the creator holds'),
  surface: textParameter(TEXT_LIMITS.surface)
    .exactOptional()
    .describe('Only tokens whose launch names this front end, in any letter case: their `surface`.'),
  createdAfter: unixSeconds.exactOptional().describe('Only tokens that were launched after this time in Unix seconds.'),
  createdBefore: unixSeconds.exactOptional().describe('Only tokens that were launched before this time in Unix seconds.'),
}

function usdParameter(value: string) {
  return decimalParameter
    .exactOptional()
    .describe(`Only tokens with ${value} worth at least this amount of USD at the present price of ETH.`)
}

function heldParameter(who: string) {
  return percentParameter
    .exactOptional()
    .describe(`Only tokens of whose supply ${who} at most this percentage now. A token of which this is not known is left out.`)
}

/** The sort value and address of the last row of a page. A `null` value: the rows without one, which come last in either order. */
const cursorBy = (value: z.ZodString) => z.object({ value: value.nullable(), address: cursorAddress })
const CURSORS = Object.fromEntries(TOKEN_SORTS.map(sort => [sort, cursorBy(SORTS[sort])])) as Record<TokenSort, ReturnType<typeof cursorBy>>

export const tokens = defineList({
  id: 'listTokens',
  tag: 'Tokens',
  path: '/api/tokens',
  summary: 'Tokens, sorted and filtered',
  parameters: z.object({
    ...tokenListFilters,
    limit: integerParameter(1, MAX_LISTED_TOKENS)
      .exactOptional()
      .describe(`Rows per page. Default: the number of \`addresses\`, else ${DEFAULT_ROWS}.`),
    cursor: cursorParameter,
  }),
  name: 'TokenList',
  meaning: 'A page of tokens.',
  item: tokenSchema,
  cursor: ({ sort }) => CURSORS[Object.hasOwn(USD_SORTS, sort) ? USD_SORTS[sort as UsdSort] : (sort as TokenSort)],
  rows: ({ limit, addresses }) => limit ?? addresses?.length ?? DEFAULT_ROWS,
  problems: ['price_unavailable', 'data_unavailable'],
  priced: tokensInWeth,
  valued: (item, { ethUsd }) => withUsd(item, ethUsd),
})

/** A list of tokens as requests ask for it. */
export type TokensRequest = QueryOf<typeof tokens>
/** A list of tokens as it is read. */
export type TokensQuery = InWeth<TokensRequest>
export type TokenFilters = Omit<TokensQuery, 'sort' | 'order' | 'limit' | 'cursor'>
export type TokenCursor = NonNullable<TokensQuery['cursor']>

export const search = defineList({
  id: 'searchTokens',
  tag: 'Tokens',
  path: '/api/search',
  summary: 'Tokens by symbol, name or address prefix, the best match first, in one page',
  parameters: z.object({
    q: textParameter(100).describe('Part of a symbol or name, or the beginning of an address: `0x` and at least two digits.'),
    limit: integerParameter(1, 50).default(20).describe('Maximum number of tokens returned.'),
  }),
  name: 'TokenList',
  meaning: 'A page of tokens.',
  item: tokenSchema,
  cursor: null,
  cacheControl: 'seconds',
  valued: (item, { ethUsd }) => withUsd(item, ethUsd),
})

const priceLineSchema = z
  .object({
    token: addressText.describe('Address of the token.'),
    times: z.array(count).describe('Unix seconds, ascending: from 24 hours ago, or from the launch, to the newest indexed block.'),
    prices: z.array(decimalText).describe('Prices at these times in WETH per whole token.'),
  })
  .meta({
    id: 'PriceLine',
    description:
      'The course of `priceChange.h24`: it begins with the price that the change is measured from, and ends with the ' +
      'present one. Both lists are as long, at most 27, and empty where the change is unknown.',
  })

export type PriceLine = Wire<typeof priceLineSchema>

export const sparklines = defineList({
  id: 'listSparklines',
  tag: 'Market',
  path: '/api/sparklines',
  summary: 'The last 24 hours of several tokens as short lines of prices, in one page',
  parameters: z.object({
    tokens: listParameter(addressParameter, 100, 'addresses (0x and 40 hex digits)').describe(
      'The tokens. An address that is not an indexed token is left out.',
    ),
  }),
  name: 'PriceLineList',
  meaning: 'Lines of prices.',
  item: priceLineSchema,
  cursor: null,
  rows: ({ tokens }) => tokens.length,
})

export type SparklinesQuery = QueryOf<typeof sparklines>
