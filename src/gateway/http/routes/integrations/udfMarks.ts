import { z } from 'zod'
import { formatUnits } from '#domain/decimal.ts'
import type { Route } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { udfMarksAnswer, udfTimescaleMarksAnswer } from '#resources/integrations/udf.ts'
import type { Token } from '#resources/token.ts'
import type { Trade } from '#resources/trades.ts'
import { resolutionParameter, symbolParameter, timeParameter, udfRoute } from './udfRoute.ts'

/** The most marks of a range. Newer trades of the range are left out. */
const MAX_MARKS = 500
const GREEN = '#16a34a'
const RED = '#dc2626'
const BLUE = '#2563eb'

const parameters = z.object({
  symbol: symbolParameter,
  from: timeParameter.describe('Unix seconds, inclusive.'),
  to: timeParameter.describe('Unix seconds, inclusive.'),
  resolution: resolutionParameter.default('1'),
})

export function udfMarksRoute({ reads }: Pick<Sources, 'reads'>): Route {
  return udfRoute({
    name: 'marks',
    parameters,
    id: 'getUdfMarks',
    summary: 'The creator’s trades of a token as marks on bars',
    answer: udfMarksAnswer,
    handle: async ({ symbol, from, to }) => {
      const token = await reads.token({ address: symbol })
      if (token === null) return null
      const query = { address: symbol, maker: token.creator, from, to, order: 'asc', limit: MAX_MARKS } as const
      const page = from > to ? { data: [] } : await reads.trades(query)
      return page === null ? null : toMarks(page.data, token)
    },
  })
}

function toMarks(trades: readonly Trade[], { symbol, decimals }: Token) {
  const each = <T>(pick: (trade: Trade) => T) => trades.map(pick)
  return {
    id: each(({ id }) => id),
    time: each(({ timestamp }) => toSeconds(timestamp)),
    color: each(({ side }) => (side === 'buy' ? GREEN : RED)),
    text: each(({ side, amountToken }) => {
      return `The creator ${side === 'buy' ? 'bought' : 'sold'} ${formatUnits(BigInt(amountToken), decimals)} ${symbol}`
    }),
    label: each(({ side }) => (side === 'buy' ? 'B' : 'S')),
    labelFontColor: each(() => '#ffffff'),
    minSize: each(() => 20),
  }
}

export function udfTimescaleMarksRoute({ reads }: Pick<Sources, 'reads'>): Route {
  return udfRoute({
    name: 'timescale_marks',
    parameters,
    id: 'getUdfTimescaleMarks',
    summary: 'Launch and graduation of a token as marks on the time axis',
    answer: udfTimescaleMarksAnswer,
    handle: async ({ symbol, from, to }) => {
      const token = await reads.token({ address: symbol })
      if (token === null) return null
      const { completedAt, migratedAt } = token.graduation
      const marks = [
        { id: 'launch', at: token.createdAt, color: BLUE, label: 'L', tooltip: ['Launched'] },
        { id: 'completed', at: completedAt, color: BLUE, label: 'C', tooltip: ['Curve completed'] },
        { id: 'graduation', at: migratedAt, color: BLUE, label: 'G', tooltip: ['Graduated to a pool'] },
      ]
      return marks.flatMap(({ at, ...mark }) => {
        const time = at === null ? Number.NaN : toSeconds(at)
        return time >= from && time <= to ? [{ ...mark, time }] : []
      })
    },
  })
}

function toSeconds(time: string): number {
  return Math.floor(Date.parse(time) / 1_000)
}
