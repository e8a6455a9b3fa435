import { z } from 'zod'
import { HOLDER_TYPES } from '#domain/holder.ts'
import { jsonAnswer } from '#gateway/http/answer.ts'
import { decodeCursor, HOLDER_CURSOR, listBody } from '#gateway/http/cursor.ts'
import { listParameter, pageParameters, tokenParameter, wordParameter } from '#gateway/http/parameters.ts'
import { tokenNotFound } from '#gateway/http/problem.ts'
import { type Route, resource } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { holderListSchema } from '#protocol/schemas/resources.ts'

const parameters = z.object({
  address: tokenParameter,
  excludeType: listParameter(wordParameter(HOLDER_TYPES), HOLDER_TYPES.length, `of ${HOLDER_TYPES.join(', ')}`)
    .default([])
    .describe('Types of holders to leave out.'),
  ...pageParameters({ max: 500, default: 50 }),
})

export function holdersRoute({ reads, chainId }: Pick<Sources, 'reads' | 'chainId'>): Route {
  return resource(
    {
      path: '/api/tokens/:address/holders',
      parameters,
      cacheControl: 'revalidate',
      keptUntil: () => 'tokenChanges',
      description: {
        id: 'listHolders',
        tag: 'Tokens',
        summary: 'Holders of a token, the largest first',
        answer: holderListSchema,
        problems: ['token_not_found', 'data_unavailable'],
      },
    },
    async ({ address: token, excludeType, limit, cursor: cursorText }) => {
      const query = { token, excludeTypes: excludeType.toSorted() }
      const list = { chainId, query }
      const decoded = decodeCursor(HOLDER_CURSOR, cursorText, list)
      if ('kind' in decoded) return decoded
      const page = await reads.holders({ ...query, ...decoded, limit })
      return page === null ? tokenNotFound(token) : jsonAnswer(listBody(page, HOLDER_CURSOR, list))
    },
  )
}
