import { z } from 'zod'
import { candleParameters } from '#gateway/filters/candleParameters.ts'
import { jsonAnswer } from '#gateway/http/answer.ts'
import { CANDLE_CURSOR, decodeCursor, listBody, MAX_UNIX_SECONDS } from '#gateway/http/cursor.ts'
import { booleanParameter, integerParameter, pageParameters, tokenParameter } from '#gateway/http/parameters.ts'
import { invalidParameter, tokenNotFound } from '#gateway/http/problem.ts'
import { type Route, resource } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { candleListSchema } from '#protocol/schemas/resources.ts'

const unixSeconds = integerParameter(0, MAX_UNIX_SECONDS, ' (Unix seconds)')

const parameters = z.object({
  address: tokenParameter,
  interval: candleParameters.interval,
  of: candleParameters.of,
  from: unixSeconds.exactOptional().describe('Unix seconds, inclusive: the first candle is the one that contains this time.'),
  to: unixSeconds.exactOptional().describe('Unix seconds, inclusive: no candle starts after this time.'),
  currency: candleParameters.currency,
  fill: booleanParameter.default(false).describe('Whether intervals without a trade get a candle at the last price.'),
  ...pageParameters({ max: 1_500, default: 300 }),
})

export function candlesRoute({ reads, chainId }: Pick<Sources, 'reads' | 'chainId'>): Route {
  return resource(
    {
      path: '/api/tokens/:address/candles',
      parameters,
      cacheControl: 'revalidate',
      // Filled candles reach to the newest block.
      keptUntil: texts => (texts.has('fill') ? 'commit' : 'tokenChanges'),
      description: {
        id: 'listCandles',
        tag: 'Tokens',
        summary: 'Candles of a token: the newest of the range, times ascending',
        answer: candleListSchema,
        problems: ['token_not_found', 'data_unavailable'],
      },
    },
    async ({ address: token, limit, cursor: cursorText, ...filter }) => {
      const { from = 0, to = MAX_UNIX_SECONDS } = filter
      if (from > to) return invalidParameter(`from must not be after to, got ${from} and ${to}`)
      const query = { token, ...filter }
      const list = { chainId, query }
      const decoded = decodeCursor(CANDLE_CURSOR, cursorText, list)
      if ('kind' in decoded) return decoded
      const page = await reads.candles({ ...query, ...decoded, limit })
      return page === null ? tokenNotFound(token) : jsonAnswer(listBody(page, CANDLE_CURSOR, list))
    },
  )
}
