import { z } from 'zod'
import type { Route } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import type { Candle, CandlesQuery } from '#resources/candles.ts'
import { udfHistoryAnswer } from '#resources/integrations/udf.ts'
import {
  countParameter,
  currencyParameter,
  intervalOf,
  resolutionParameter,
  resolveSymbol,
  symbolParameter,
  timeParameter,
  udfRoute,
} from './udfRoute.ts'

const PAGE = 1_500
const MAX_BARS = 5 * PAGE

const parameters = z.object({
  symbol: symbolParameter,
  resolution: resolutionParameter,
  from: timeParameter.exactOptional().describe('Unix seconds of the first bar, inclusive. Ignored if `countback` is given.'),
  to: timeParameter.describe('Unix seconds, exclusive.'),
  countback: countParameter(MAX_BARS)
    .exactOptional()
    .describe('Number of bars to return: the newest before `to`. It is cut to the bounds.'),
  currencyCode: currencyParameter,
})

export function udfHistoryRoute(sources: Pick<Sources, 'reads' | 'config'>): Route {
  const { reads } = sources
  return udfRoute({
    name: 'history',
    parameters,
    id: 'getUdfHistory',
    summary: 'Bars of a token up to a time',
    answer: udfHistoryAnswer,
    handle: async ({ symbol, resolution, from = 0, to, countback, currencyCode }) => {
      const address = await resolveSymbol(symbol, sources)
      if (address === null) return null
      const query = {
        address,
        of: 'price',
        interval: intervalOf(resolution),
        currency: currencyCode === 'USD' ? 'usd' : 'weth',
        fill: false,
      } as const
      const range = { ...(countback === undefined && { from }), to: to - 1 }
      const bars =
        to === 0 || (countback === undefined && from >= to) ? [] : await readBars(reads, { ...query, ...range }, countback ?? MAX_BARS)
      if (bars === null) return null
      if (bars.length > 0) return toColumns(bars)
      const earlier = await reads.candles({ ...query, to: Math.max(from - 1, 0), limit: 1 })
      const last = earlier?.data.at(-1)
      return earlier === null ? null : { s: 'no_data', ...(last !== undefined && from > 0 && { nextTime: last.time }) }
    },
  })
}

/** Reads the newest bars of the range, ascending; `null`: the token is not indexed. */
async function readBars(
  reads: Pick<Sources['reads'], 'candles'>,
  query: Omit<CandlesQuery, 'limit' | 'cursor'>,
  count: number,
): Promise<readonly Candle[] | null> {
  let bars: readonly Candle[] = []
  let cursor: CandlesQuery['cursor']
  while (bars.length < count) {
    const page = await reads.candles({ ...query, limit: Math.min(PAGE, count - bars.length), ...(cursor && { cursor }) })
    if (page === null) return null
    bars = [...page.data, ...bars]
    if (page.next === null) break
    cursor = page.next
  }
  return bars
}

function toColumns(bars: readonly Candle[]) {
  const column = (field: 'open' | 'high' | 'low' | 'close' | 'volume') => bars.map(bar => Number(bar[field]))
  return {
    s: 'ok',
    t: bars.map(({ time }) => time),
    o: column('open'),
    h: column('high'),
    l: column('low'),
    c: column('close'),
    v: column('volume'),
  }
}
