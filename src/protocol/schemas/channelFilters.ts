import { z } from 'zod'
import { CANDLE_INTERVALS, type CandleInterval } from '#domain/candle.ts'
import { GRADUATION_EVENT_STATUSES } from '#resources/channelEvent.ts'
import { CROSSED_VALUES } from '#resources/crossings.ts'
import { anyCaseAddressText, decimalText } from '#resources/values.ts'

/* The filters of channels, as messages have them. */

const addressList = z.array(anyCaseAddressText).min(1).max(100)

export const eventFilters = z
  .object({
    tokens: addressList.exactOptional().describe('For `trades`: only trades of these tokens.'),
    makers: addressList.exactOptional().describe('For `trades`: only trades of these accounts.'),
    creators: addressList.exactOptional().describe('For `launches`: only tokens of these creators.'),
    launchpads: z.array(z.string()).min(1).max(20).exactOptional().describe('Only events of tokens of these launchpads.'),
    status: z
      .array(z.enum(GRADUATION_EVENT_STATUSES))
      .min(1)
      .max(2)
      .exactOptional()
      .describe('For `graduations`: only tokens that reached these statuses.'),
    side: z.enum(['buy', 'sell']).exactOptional().describe('For `trades`: only buys, or only sells.'),
    minWeth: decimalText.exactOptional().describe('For `trades`: only trades of at least this amount of WETH, fee included.'),
  })
  .describe('An event must match every given filter. It matches a list if it matches one entry.')

export const crossingFilters = z
  .object({
    tokens: addressList.exactOptional().describe('Only these tokens.'),
    launchpads: eventFilters.shape.launchpads,
    of: z.enum(CROSSED_VALUES).describe('The value that is compared.'),
    above: decimalText
      .exactOptional()
      .describe('The value rises from below this to this or more. Exactly one of `above` and `below` is given.'),
    below: decimalText.exactOptional().describe('The value falls from above this to this or less.'),
  })
  .describe('The bound of a value, and the tokens of which it is compared.')

export const listFilters = z
  .record(z.string(), z.union([z.string(), z.number(), z.array(z.string())]))
  .describe('The parameters of `/api/tokens` except `cursor`. Lists are arrays; `limit` is at most 50, and with `delta` at most 200.')

export const candleFilters = z
  .object({
    token: anyCaseAddressText.describe('Address of the token. One that is not indexed yet has no candles.'),
    interval: z
      .enum(Object.keys(CANDLE_INTERVALS) as [CandleInterval, ...CandleInterval[]])
      .exactOptional()
      .describe('Length of a candle. Default: `1m`.'),
    of: z.enum(['price', 'marketCap']).exactOptional().describe('Whether candles show prices or market caps. Default: `price`.'),
    currency: z.enum(['weth', 'usd', 'quote']).exactOptional().describe('Currency of prices and volume. Default: `weth`.'),
  })
  .describe('These select candles as the parameters of `/api/tokens/<address>/candles` do.')
