import { CANDLE_INTERVALS, type CandleInterval } from '#domain/candle.ts'
import { wordParameter } from '#gateway/http/parameters.ts'

/** The parameters that select candles. */
export const candleParameters = {
  interval: wordParameter(Object.keys(CANDLE_INTERVALS) as CandleInterval[])
    .default('1m')
    .describe('Length of a candle.'),
  of: wordParameter(['price', 'marketCap'])
    .default('price')
    .describe('What the candles are of; `marketCap`: prices times the present total supply.'),
  currency: wordParameter(['weth', 'usd', 'quote'])
    .default('weth')
    .describe('Currency of prices and volume; `quote`: the one of the pool in which the token trades.'),
}
