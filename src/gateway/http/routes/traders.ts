import { z } from 'zod'
import { TRADER_SORTS } from '#domain/trader.ts'
import { balanceWithUsd } from '#domain/usd.ts'
import { jsonAnswer } from '#gateway/http/answer.ts'
import { decodeCursor, listBody, TRADER_CURSOR } from '#gateway/http/cursor.ts'
import { pageParameters, tokenParameter, wordParameter } from '#gateway/http/parameters.ts'
import { tokenNotFound } from '#gateway/http/problem.ts'
import { type Route, resource } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { traderListSchema } from '#protocol/schemas/wallets.ts'

const parameters = z.object({
  address: tokenParameter,
  sort: wordParameter(TRADER_SORTS)
    .default('realized')
    .describe('What the traders are sorted by, the largest first; all but `balance` in WETH. Traders without a value come last.'),
  ...pageParameters({ max: 500, default: 50 }),
})

export function tradersRoute({ reads, ethUsd, chainId }: Pick<Sources, 'reads' | 'ethUsd' | 'chainId'>): Route {
  return resource(
    {
      path: '/api/tokens/:address/traders',
      parameters,
      cacheControl: 'revalidate',
      keptUntil: () => 'tokenChanges',
      description: {
        id: 'listTraders',
        tag: 'Tokens',
        summary: 'Who traded a token, what it cost them and what they earned',
        answer: traderListSchema,
        problems: ['token_not_found', 'data_unavailable'],
      },
    },
    async ({ address: token, sort, limit, cursor: cursorText }) => {
      const query = { token, sort }
      const list = { chainId, query }
      const decoded = decodeCursor(TRADER_CURSOR, cursorText, list)
      if ('kind' in decoded) return decoded
      const page = await reads.traders({ ...query, ...decoded, limit })
      if (page === null) return tokenNotFound(token)
      const price = ethUsd.ethUsd()
      const data = page.data.map(trader => balanceWithUsd(trader, price))
      return jsonAnswer(listBody({ ...page, data }, TRADER_CURSOR, list))
    },
  )
}
