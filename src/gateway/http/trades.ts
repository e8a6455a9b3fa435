import { z } from 'zod'
import { jsonAnswer } from '#gateway/answer.ts'
import { decodeCursor, listBody, TRADE_CURSOR } from '#gateway/cursor.ts'
import { addressParameter, integerParameter, pageParameters, tokenParameter, wordParameter } from '#gateway/parameters.ts'
import { invalidParameter, tokenNotFound } from '#gateway/problem.ts'
import { type Route, resource } from '#gateway/route.ts'
import type { Sources } from '#gateway/sources.ts'
import { tradeListSchema } from '#protocol/schemas/resources.ts'

const blockNumber = integerParameter(0, Number.MAX_SAFE_INTEGER)

const parameters = z.object({
  address: tokenParameter,
  side: wordParameter(['buy', 'sell']).exactOptional().describe('Only buys, or only sells.'),
  maker: addressParameter.exactOptional().describe('Only trades of this account.'),
  fromBlock: blockNumber.exactOptional().describe('Number of the first block, inclusive.'),
  toBlock: blockNumber.exactOptional().describe('Number of the last block, inclusive.'),
  order: wordParameter(['asc', 'desc']).default('desc').describe('`desc`: newest first.'),
  ...pageParameters({ max: 500, default: 50 }),
})

export function tradesRoute({ reads }: Pick<Sources, 'reads'>): Route {
  return resource(
    {
      path: '/api/tokens/:address/trades',
      parameters,
      cacheControl: 'revalidate',
      keptUntil: () => 'tokenChanges',
      description: {
        id: 'listTrades',
        tag: 'Tokens',
        summary: 'Trades of a token, by block and log index',
        answer: tradeListSchema,
        problems: ['token_not_found', 'data_unavailable'],
      },
    },
    async ({ address: token, limit, cursor: cursorText, ...filter }) => {
      const { fromBlock = 0, toBlock = Number.MAX_SAFE_INTEGER } = filter
      if (fromBlock > toBlock) return invalidParameter(`fromBlock must not be above toBlock, got ${fromBlock} and ${toBlock}`)
      const identity = { token, ...filter }
      const decoded = decodeCursor(TRADE_CURSOR, cursorText, identity)
      if ('kind' in decoded) return decoded
      const page = await reads.trades({ ...identity, ...decoded, limit })
      return page === null ? tokenNotFound(token) : jsonAnswer(listBody(page, TRADE_CURSOR, identity))
    },
  )
}
