import { z } from 'zod'
import { TEXT_LIMITS } from '#domain/text.ts'
import { GRADUATION_STATUSES } from '#domain/token.ts'
import { cursorAddress, cursorCount, cursorDecimal, cursorDouble, cursorTime } from './cursorFields.ts'
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
import { defineList, type QueryOf } from './resource.ts'
import { tokenSchema, withUsd } from './token.ts'
import { type InWeth, tokensInWeth, USD_SORTS, type UsdSort } from './tokensInWeth.ts'
import { INT32_MAX } from './values.ts'

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
  cacheControl: 'revalidate',
  outdatedBy: 'commit',
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
