import { z } from 'zod'
import { TOKEN_SORTS } from '#domain/queries.ts'
import { withUsd } from '#domain/usd.ts'
import { jsonAnswer } from '#gateway/answer.ts'
import { decodeCursor, listBody, TOKEN_CURSORS } from '#gateway/cursor.ts'
import {
  addressParameter,
  cursorParameter,
  integerParameter,
  listParameter,
  textParameter,
  tokenParameter,
  wordParameter,
} from '#gateway/parameters.ts'
import { tokenNotFound } from '#gateway/problem.ts'
import { type Route, type RouteDescription, resource } from '#gateway/route.ts'
import type { Sources } from '#gateway/sources.ts'
import { tokenListSchema } from '#protocol/schemas/resources.ts'
import { tokenSchema } from '#protocol/schemas/token.ts'

/** Rows of a page, and addresses of a request. */
const MAX_TOKENS = 100
const DEFAULT_TOKENS = 50

const listParameters = z.object({
  sort: wordParameter(TOKEN_SORTS).default('createdAt').describe('What the tokens are sorted by. Tokens without a value come last.'),
  order: wordParameter(['asc', 'desc']).default('desc').describe('Whether the sort ascends or descends.'),
  status: wordParameter(['none', 'bonding', 'completed', 'migrated']).exactOptional().describe('Only tokens of this graduation status.'),
  creator: addressParameter.exactOptional().describe('Only tokens of this creator.'),
  launchpad: textParameter(64).exactOptional().describe('Only tokens of the launchpad of this name.'),
  addresses: listParameter(addressParameter, MAX_TOKENS, 'addresses (0x and 40 hex digits)')
    .exactOptional()
    .describe('Only these tokens. An address that is not indexed is left out.'),
  limit: integerParameter(1, MAX_TOKENS)
    .exactOptional()
    .describe(`Rows per page. Default: as many as \`addresses\` names, else ${DEFAULT_TOKENS}.`),
  cursor: cursorParameter,
})

const LIST: RouteDescription = {
  id: 'listTokens',
  tag: 'Tokens',
  summary: 'Tokens, sorted and filtered',
  answer: tokenListSchema,
  problems: ['data_unavailable'],
}

export function tokensRoute({ reads, ethUsd }: Pick<Sources, 'reads' | 'ethUsd'>): Route {
  return resource(
    { path: '/api/tokens', parameters: listParameters, cacheControl: 'revalidate', keptUntil: () => 'commit', description: LIST },
    async ({ limit: given, cursor: cursorText, ...filter }) => {
      const limit = given ?? filter.addresses?.length ?? DEFAULT_TOKENS
      const codec = TOKEN_CURSORS[filter.sort]
      const decoded = decodeCursor(codec, cursorText, filter)
      if ('kind' in decoded) return decoded
      const { data, ...page } = await reads.tokens({ ...filter, ...decoded, limit })
      const price = ethUsd.ethUsd()
      return jsonAnswer(listBody({ data: data.map(token => withUsd(token, price)), ...page }, codec, filter))
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
  limit: integerParameter(1, 50).default(20).describe('Most tokens returned.'),
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
