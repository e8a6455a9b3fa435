import { z } from 'zod'
import { TOKEN_SORTS, type TokensQuery } from '#domain/queries.ts'
import { GRADUATION_STATUSES } from '#domain/token.ts'
import { INT32_MAX } from '#gateway/http/cursor.ts'
import {
  addressParameter,
  decimalParameter,
  integerParameter,
  listParameter,
  percentParameter,
  wordParameter,
} from '#gateway/http/parameters.ts'
import { launchpadParameter, unixSeconds } from './tradeParameters.ts'

/** The most rows of a page, and the most addresses of a request. */
export const MAX_LISTED_TOKENS = 100

/** The parameters that decide the tokens of a list and their order, without the parameters of the page. */
export const tokenListFilters = {
  sort: wordParameter(TOKEN_SORTS)
    .default('createdAt')
    .describe(
      'What the tokens are sorted by. Tokens without a value come last. `trending`: buyers per hour in the last hour, ' +
        'in the last 6 hours and in the last 24 hours, added up; an account counts once in each window.',
    ),
  order: wordParameter(['asc', 'desc']).default('desc').describe('Whether the sort ascends or descends.'),
  status: listParameter(wordParameter(GRADUATION_STATUSES), GRADUATION_STATUSES.length, `of ${GRADUATION_STATUSES.join(', ')}`)
    .exactOptional()
    .describe('Only tokens of these graduation statuses.'),
  creator: addressParameter.exactOptional().describe('Only tokens of this creator.'),
  launchpad: launchpadParameter().exactOptional().describe('Only tokens of these launchpads.'),
  addresses: listParameter(addressParameter, MAX_LISTED_TOKENS, 'addresses (0x and 40 hex digits)')
    .exactOptional()
    .describe('Only these tokens. An address that is not an indexed token is left out.'),
  minMarketCap: decimalParameter.exactOptional().describe('Only tokens with a market cap of at least this amount of WETH.'),
  minLiquidity: decimalParameter.exactOptional().describe('Only tokens with a liquidity of at least this amount of WETH.'),
  minVolume24h: decimalParameter
    .exactOptional()
    .describe('Only tokens with a volume of at least this amount of WETH in the last 24 hours.'),
  minHolders: integerParameter(0, INT32_MAX).exactOptional().describe('Only tokens with at least this number of holders.'),
  minGraduation: percentParameter.exactOptional().describe('Only tokens that raised at least this percentage of their target.'),
  createdAfter: unixSeconds.exactOptional().describe('Only tokens that were launched after this time in Unix seconds.'),
  createdBefore: unixSeconds.exactOptional().describe('Only tokens that were launched before this time in Unix seconds.'),
}

const filters = z.object(tokenListFilters)

/** The query of the parameters. Names that are listed in another order give the same query. */
export function tokenQueryOf({ status, launchpad, ...rest }: z.output<typeof filters>): Omit<TokensQuery, 'limit'> {
  return {
    ...rest,
    ...(status !== undefined && { statuses: status.toSorted() }),
    ...(launchpad !== undefined && { launchpads: launchpad.toSorted() }),
  }
}
