import { jsonAnswer } from '#gateway/answer.ts'
import { decodeCursor, listBody, TRADE_CURSOR } from '#gateway/cursor.ts'
import { address, integer, oneOf, optional, required, text, withDefault } from '#gateway/parameters.ts'
import { invalidParameter, tokenNotFound } from '#gateway/problem.ts'
import { type Route, resource } from '#gateway/route.ts'
import type { Sources } from '#gateway/sources.ts'

const blockNumber = integer(0, Number.MAX_SAFE_INTEGER)

const PARAMETERS = {
  address: required(address),
  side: optional(oneOf(['buy', 'sell'])),
  maker: optional(address),
  fromBlock: optional(blockNumber),
  toBlock: optional(blockNumber),
  order: withDefault(oneOf(['asc', 'desc']), 'desc'),
  limit: withDefault(integer(1, 500), 50),
  cursor: optional(text(512)),
}

export function tradesRoute({ reads }: Pick<Sources, 'reads'>): Route {
  return resource(
    { path: '/api/tokens/:address/trades', parameters: PARAMETERS, cacheControl: 'revalidate' },
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
