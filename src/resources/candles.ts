import { z } from 'zod'
import { CANDLE_INTERVALS, type CandleInterval } from '#domain/candle.ts'
import {
  addressParameter,
  booleanParameter,
  contradictingBounds,
  integerParameter,
  listParameter,
  pageParameters,
  tokenParameter,
  unixSeconds,
  wordParameter,
} from './parameters.ts'
import { defineList, integerCursor, type QueryOf } from './resource.ts'
import { addressText, count, decimalText, MAX_UNIX_SECONDS, type Wire } from './values.ts'

export const candleSchema = z
  .object({
    time: count.describe('Unix seconds of the interval’s start.'),
    open: decimalText.describe(
      'First price of the interval, per whole token in the requested currency. With `of=marketCap` this and the next ' +
        'three are market caps.',
    ),
    high: decimalText.describe('Highest price.'),
    low: decimalText.describe('Lowest price.'),
    close: decimalText.describe('Last price.'),
    volume: decimalText.describe('Traded value in the requested currency.'),
    trades: count.describe('Number of trades.'),
  })
  .meta({
    id: 'Candle',
    description:
      'Prices of one interval, from its trades, each valued at the quote currency’s rate at that time. The newest ' +
      'candle in WETH closes at the current price.',
  })

export type Candle = Wire<typeof candleSchema>

/** The parameters that select candles. */
export const candleParameters = {
  interval: wordParameter(Object.keys(CANDLE_INTERVALS) as CandleInterval[])
    .default('1m')
    .describe(
      'Length of a candle; weeks start on Monday, UTC. Candles of seconds are made from trades and reach back 24 hours, and a page of them ' +
        'may be shorter than `limit`. The service may not keep old ones of `1m`. Where there are none any more, it cuts ranges, or answers 410.',
    ),
  of: wordParameter(['price', 'marketCap'])
    .default('price')
    .describe('Whether candles show prices or market caps; `marketCap`: price times the current total supply.'),
  currency: wordParameter(['weth', 'usd', 'quote'])
    .default('weth')
    .describe('Currency of prices and volume; `quote`: the quote currency of the pool in which the token trades.'),
}

/** The time of the last candle of a page. */
const cursor = z.object({ time: integerCursor(MAX_UNIX_SECONDS) })

export const candles = defineList({
  id: 'listCandles',
  tag: 'Tokens',
  path: '/api/tokens/:address/candles',
  summary: 'Candles of a token: the newest of the range, times ascending',
  parameters: z.object({
    address: tokenParameter,
    interval: candleParameters.interval,
    of: candleParameters.of,
    from: unixSeconds.exactOptional().describe('Unix seconds, inclusive: the first candle is the one that contains this time.'),
    to: unixSeconds.exactOptional().describe('Unix seconds, inclusive: no candle starts after this time.'),
    currency: candleParameters.currency,
    fill: booleanParameter.default(false).describe('Whether intervals without a trade get a candle at the last price.'),
    ...pageParameters({ max: 1_500, default: 300 }),
  }),
  name: 'CandleList',
  meaning: 'A page of candles.',
  item: candleSchema,
  cursor: () => cursor,
  // Filled candles reach to the newest block, and those of seconds to a day before it.
  outdatedBy: given => (given.has('fill') || given.get('interval')?.[0]?.endsWith('s') ? 'commit' : 'tokenChange'),
  problems: ['token_not_found', 'not_kept', 'data_unavailable'],
  contradiction: contradictingBounds,
})

export type CandlesQuery = QueryOf<typeof candles>
export type CandleCursor = Wire<typeof cursor>
export type CandleCurrency = CandlesQuery['currency']

const MAX_SERIES = 50

const candleSeriesSchema = z
  .object({
    token: addressText.describe('Address of the token.'),
    candles: z.array(candleSchema).describe('The newest candles of the range, times ascending.'),
  })
  .meta({ id: 'CandleSeries', description: 'Candles of one of several tokens.' })

export type CandleSeries = Wire<typeof candleSeriesSchema>

export const candleSeries = defineList({
  id: 'listCandleSeries',
  tag: 'Market',
  path: '/api/candles',
  summary: 'Candles of several tokens, in one page',
  parameters: z.object({
    tokens: listParameter(addressParameter, MAX_SERIES, 'addresses (0x and 40 hex digits)').describe(
      'The tokens. An address that is not an indexed token is left out.',
    ),
    interval: candleParameters.interval,
    of: candleParameters.of,
    currency: candleParameters.currency,
    from: unixSeconds.exactOptional().describe('Unix seconds, inclusive: the first candle is the one that contains this time.'),
    limit: integerParameter(1, 300)
      .default(100)
      .describe('Candles per token. Those of seconds are made of the newest 2,000 trades at most, shared evenly among the tokens.'),
  }),
  name: 'CandleSeriesList',
  meaning: 'Candles of several tokens.',
  item: candleSeriesSchema,
  cursor: null,
})

export type CandleSeriesQuery = QueryOf<typeof candleSeries>
