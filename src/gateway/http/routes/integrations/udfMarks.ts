import { z } from 'zod'
import { CANDLE_INTERVALS, candleStart } from '#domain/candle.ts'
import { formatUnits } from '#domain/decimal.ts'
import type { Route } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { udfMarksAnswer, udfTimescaleMarksAnswer } from '#resources/integrations/udf.ts'
import type { Token } from '#resources/token.ts'
import type { Trade } from '#resources/trades.ts'
import { findNamedToken, inertText, intervalOf, resolutionParameter, symbolParameter, timeParameter, udfRoute } from './udfRoute.ts'

/** The most marks of a range. Newer trades of the range are left out. */
const MAX_MARKS = 500
const GREEN = '#16a34a'
const RED = '#dc2626'
const BLUE = '#2563eb'

const parameters = z.object({
  symbol: symbolParameter,
  from: timeParameter.describe('Unix seconds: the bar that holds this time is the first.'),
  to: timeParameter.describe('Unix seconds: the bar that holds this time is the last.'),
  resolution: resolutionParameter.default('1'),
})

/**
 * The bars from one time to another. The chart library shows a mark only if its time is the start of a bar.
 *
 * Source: https://www.tradingview.com/charting-library-docs/latest/api/interfaces/Charting_Library.IDatafeedChartApi/
 */
function barsOf({ from, to, resolution }: Pick<z.output<typeof parameters>, 'from' | 'to' | 'resolution'>) {
  const interval = intervalOf(resolution)
  const startOf = (time: string) => candleStart(toSeconds(time), interval)
  return { first: candleStart(from, interval), end: candleStart(to, interval) + CANDLE_INTERVALS[interval] - 1, startOf }
}

export function udfMarksRoute(sources: Pick<Sources, 'reads' | 'config'>): Route {
  return udfRoute({
    name: 'marks',
    parameters,
    id: 'getUdfMarks',
    summary: 'The creator’s trades of a token as marks on bars',
    answer: udfMarksAnswer,
    handle: async ({ symbol, ...range }) => {
      const token = await findNamedToken(symbol, sources)
      if (token === null) return null
      const { first: from, end: to, startOf } = barsOf(range)
      const query = { address: token.address, maker: token.creator, from, to, order: 'asc', limit: MAX_MARKS } as const
      const page = from > to ? { data: [] } : await sources.reads.trades(query)
      return page === null ? null : toMarks(page.data, token, startOf)
    },
  })
}

function toMarks(trades: readonly Trade[], { symbol, decimals }: Token, startOf: (time: string) => number) {
  const each = <T>(pick: (trade: Trade) => T) => trades.map(pick)
  const shownSymbol = inertText(symbol ?? 'tokens')
  return {
    id: each(({ id }) => id),
    time: each(({ timestamp }) => startOf(timestamp)),
    color: each(({ side }) => (side === 'buy' ? GREEN : RED)),
    text: each(({ side, amountToken }) => {
      return `The creator ${side === 'buy' ? 'bought' : 'sold'} ${formatUnits(BigInt(amountToken), decimals)} ${shownSymbol}`
    }),
    label: each(({ side }) => (side === 'buy' ? 'B' : 'S')),
    labelFontColor: each(() => '#ffffff'),
    minSize: each(() => 20),
  }
}

export function udfTimescaleMarksRoute(sources: Pick<Sources, 'reads' | 'config'>): Route {
  return udfRoute({
    name: 'timescale_marks',
    parameters,
    id: 'getUdfTimescaleMarks',
    summary: 'Launch and graduation of a token as marks on the time axis',
    answer: udfTimescaleMarksAnswer,
    handle: async ({ symbol, ...range }) => {
      const token = await findNamedToken(symbol, sources)
      if (token === null) return null
      const { first, end, startOf } = barsOf(range)
      const { completedAt, migratedAt } = token.graduation
      const marks = [
        { id: 'launch', at: token.createdAt, color: BLUE, label: 'L', tooltip: ['Launched'] },
        { id: 'completed', at: completedAt, color: BLUE, label: 'C', tooltip: ['Curve completed'] },
        { id: 'graduation', at: migratedAt, color: BLUE, label: 'G', tooltip: ['Graduated to a pool'] },
      ]
      return marks.flatMap(({ at, ...mark }) => {
        const time = at === null ? Number.NaN : startOf(at)
        return time >= first && time <= end ? [{ ...mark, time }] : []
      })
    },
  })
}

function toSeconds(time: string): number {
  return Math.floor(Date.parse(time) / 1_000)
}
