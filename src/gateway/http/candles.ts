import { CANDLE_INTERVALS, type CandleInterval } from '#domain/candle.ts'
import { jsonAnswer } from '#gateway/answer.ts'
import { CANDLE_CURSOR, decodeCursor, listBody, MAX_UNIX_SECONDS } from '#gateway/cursor.ts'
import { address, boolean, integer, oneOf, optional, required, text, withDefault } from '#gateway/parameters.ts'
import { invalidParameter, tokenNotFound } from '#gateway/problem.ts'
import { type Route, resource } from '#gateway/route.ts'
import type { Sources } from '#gateway/sources.ts'

const unixSeconds = integer(0, MAX_UNIX_SECONDS, ' (Unix seconds)')

const PARAMETERS = {
  address: required(address),
  interval: withDefault(oneOf(Object.keys(CANDLE_INTERVALS) as CandleInterval[]), '1m'),
  from: optional(unixSeconds),
  to: optional(unixSeconds),
  currency: withDefault(oneOf(['weth', 'usd']), 'weth'),
  fill: withDefault(boolean, false),
  limit: withDefault(integer(1, 1_500), 300),
  cursor: optional(text(512)),
}

export function candlesRoute({ reads }: Pick<Sources, 'reads'>): Route {
  return resource(
    { path: '/api/tokens/:address/candles', parameters: PARAMETERS, cacheControl: 'revalidate' },
    async ({ address: token, limit, cursor: cursorText, ...filter }) => {
      const { from = 0, to = MAX_UNIX_SECONDS } = filter
      if (from > to) return invalidParameter(`from must not be after to, got ${from} and ${to}`)
      const identity = { token, ...filter }
      const decoded = decodeCursor(CANDLE_CURSOR, cursorText, identity)
      if ('kind' in decoded) return decoded
      const page = await reads.candles({ ...identity, ...decoded, limit })
      return page === null ? tokenNotFound(token) : jsonAnswer(listBody(page, CANDLE_CURSOR, identity))
    },
  )
}
