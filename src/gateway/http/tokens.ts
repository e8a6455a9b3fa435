import { TOKEN_SORTS } from '#domain/queries.ts'
import { withUsd } from '#domain/usd.ts'
import { jsonAnswer } from '#gateway/answer.ts'
import { decodeCursor, listBody, tokenCursor } from '#gateway/cursor.ts'
import { address, integer, list, oneOf, optional, required, text, withDefault } from '#gateway/parameters.ts'
import { tokenNotFound } from '#gateway/problem.ts'
import { type Route, resource } from '#gateway/route.ts'
import type { Sources } from '#gateway/sources.ts'

/** The most that a page holds, and the most addresses that can be asked for at once. */
const MOST_TOKENS = 100
const USUAL_TOKENS = 50

const LIST_PARAMETERS = {
  sort: withDefault(oneOf(TOKEN_SORTS), 'createdAt'),
  order: withDefault(oneOf(['asc', 'desc']), 'desc'),
  status: optional(oneOf(['none', 'bonding', 'completed', 'migrated'])),
  creator: optional(address),
  launchpad: optional(text(64)),
  addresses: optional(list(address, MOST_TOKENS, 'addresses (0x and 40 hex digits)')),
  limit: optional(integer(1, MOST_TOKENS)),
  cursor: optional(text(512)),
}

export function tokensRoute({ reads, ethUsd }: Pick<Sources, 'reads' | 'ethUsd'>): Route {
  return resource(
    { path: '/api/tokens', parameters: LIST_PARAMETERS, cacheControl: 'revalidate' },
    async ({ limit: asked, cursor: cursorText, ...filter }) => {
      // Who names addresses wants all of them.
      const limit = asked ?? filter.addresses?.length ?? USUAL_TOKENS
      const codec = tokenCursor(filter.sort)
      const decoded = decodeCursor(codec, cursorText, filter)
      if ('kind' in decoded) return decoded
      const { data, next } = await reads.tokens({ ...filter, ...decoded, limit })
      const price = ethUsd.ethUsd()
      return jsonAnswer(listBody({ data: data.map(token => withUsd(token, price)), next }, codec, filter))
    },
  )
}

const TOKEN_PARAMETERS = { address: required(address) }

export function tokenRoute({ reads, ethUsd }: Pick<Sources, 'reads' | 'ethUsd'>): Route {
  return resource({ path: '/api/tokens/:address', parameters: TOKEN_PARAMETERS, cacheControl: 'revalidate' }, async ({ address }) => {
    const token = await reads.token(address)
    return token === null ? tokenNotFound(address) : jsonAnswer(withUsd(token, ethUsd.ethUsd()))
  })
}
