import { CANDLE_INTERVALS, type CandleInterval } from '#domain/candle.ts'
import { wordParameter } from '#gateway/http/parameters.ts'

/** The parameters that select candles. */
export const candleParameters = {
  interval: wordParameter(Object.keys(CANDLE_INTERVALS) as CandleInterval[])
    .default('1m')
    .describe('Length of a candle.'),
  of: wordParameter(['price', 'marketCap'])
    .default('price')
    .describe('Whether candles show prices or market caps; `marketCap`: price times the current total supply.'),
  currency: wordParameter(['weth', 'usd', 'quote'])
    .default('weth')
    .describe('Currency of prices and volume; `quote`: the quote currency of the pool in which the token trades.'),
}
