import { z } from 'zod'
import { withUsd } from '#domain/usd.ts'
import { MAX_LISTED_TOKENS, tokenListFilters, tokenQueryOf } from '#gateway/filters/tokenListFilters.ts'
import { problemOfLaunchpads } from '#gateway/filters/tradeParameters.ts'
import { jsonAnswer } from '#gateway/http/answer.ts'
import { decodeCursor, listBody, TOKEN_CURSORS } from '#gateway/http/cursor.ts'
import { cursorParameter, integerParameter, textParameter, tokenParameter } from '#gateway/http/parameters.ts'
import { tokenNotFound } from '#gateway/http/problem.ts'
import { type Route, type RouteDescription, resource } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { tokenListAnswer } from '#gateway/http/tokenListAnswer.ts'
import { tokenListSchema } from '#protocol/schemas/resources.ts'
import { tokenSchema } from '#protocol/schemas/token.ts'

const DEFAULT_TOKENS = 50

const listParameters = z.object({
  ...tokenListFilters,
  limit: integerParameter(1, MAX_LISTED_TOKENS)
    .exactOptional()
    .describe(`Rows per page. Default: the number of \`addresses\`, else ${DEFAULT_TOKENS}.`),
  cursor: cursorParameter,
})

const LIST: RouteDescription = {
  id: 'listTokens',
  tag: 'Tokens',
  summary: 'Tokens, sorted and filtered',
  answer: tokenListSchema,
  problems: ['data_unavailable'],
}

export function tokensRoute({ reads, ethUsd, config, chainId }: Pick<Sources, 'reads' | 'ethUsd' | 'config' | 'chainId'>): Route {
  return resource(
    { path: '/api/tokens', parameters: listParameters, cacheControl: 'revalidate', keptUntil: () => 'commit', description: LIST },
    async ({ limit: given, cursor: cursorText, ...asked }) => {
      const problem = problemOfLaunchpads(asked.launchpad, config.launchpads.launchpads)
      if (problem !== null) return problem
      const filter = tokenQueryOf(asked)
      const limit = given ?? filter.addresses?.length ?? DEFAULT_TOKENS
      const codec = TOKEN_CURSORS[filter.sort]
      const list = { chainId, query: filter }
      const decoded = decodeCursor(codec, cursorText, list)
      if ('kind' in decoded) return decoded
      const page = await reads.tokens({ ...filter, ...decoded, limit })
      return tokenListAnswer(listBody(page, codec, list), ethUsd.ethUsd())
    },
  )
}

const parameters = z.object({ address: tokenParameter })

const TOKEN: RouteDescription = {
  id: 'getToken',
  tag: 'Tokens',
  summary: 'One token',
  answer: tokenSchema,
  problems: ['token_not_found', 'data_unavailable'],
}

export function tokenRoute({ reads, ethUsd }: Pick<Sources, 'reads' | 'ethUsd'>): Route {
  return resource(
    { path: '/api/tokens/:address', parameters, cacheControl: 'revalidate', keptUntil: () => 'tokenChanges', description: TOKEN },
    async ({ address }) => {
      const token = await reads.token(address)
      return token === null ? tokenNotFound(address) : jsonAnswer(withUsd(token, ethUsd.ethUsd()))
    },
  )
}

const searchParameters = z.object({
  q: textParameter(100).describe('Part of a symbol or name, or the beginning of an address.'),
  limit: integerParameter(1, 50).default(20).describe('Maximum number of tokens returned.'),
})

const SEARCH: RouteDescription = {
  id: 'searchTokens',
  tag: 'Tokens',
  summary: 'Tokens by symbol, name or address prefix, the best match first, in one page',
  answer: tokenListSchema,
  problems: ['data_unavailable'],
}

export function searchRoute({ reads, ethUsd }: Pick<Sources, 'reads' | 'ethUsd'>): Route {
  return resource(
    { path: '/api/search', parameters: searchParameters, cacheControl: 'seconds', keptUntil: () => 'commit', description: SEARCH },
    async query => {
      const { data, asOfBlock } = await reads.search(query)
      const price = ethUsd.ethUsd()
      return jsonAnswer({ data: data.map(token => withUsd(token, price)), nextCursor: null, asOfBlock })
    },
  )
}
