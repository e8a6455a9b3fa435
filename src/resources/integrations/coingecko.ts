import { z } from 'zod'
import { count, decimalText } from '#resources/values.ts'
import { pairId, siteAddress } from './marketData.ts'

/* Tickers as CoinGecko asks exchanges for them, each for the main pool of a token. */

const tickerId = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}_0x[0-9a-fA-F]{40}$/)
  .describe('Checksummed addresses of the token and of its quote currency, joined by `_`.')

export const coingeckoPairsAnswer = z
  .array(
    z
      .object({
        ticker_id: tickerId,
        base: siteAddress.describe('Checksummed address of the token.'),
        target: siteAddress.describe('Checksummed address of the quote currency.'),
        pool_id: pairId,
      })
      .meta({ id: 'CoingeckoPair', description: 'A token that traded in the last 24 hours.' }),
  )
  .describe('At most 100, those with the largest volume in WETH first.')

export const coingeckoTickersAnswer = z
  .array(
    z
      .object({
        ticker_id: tickerId,
        base_currency: siteAddress.describe('Checksummed address of the token.'),
        target_currency: siteAddress.describe('Checksummed address of the quote currency.'),
        pool_id: pairId,
        last_price: decimalText.describe('Price of the token in the target currency.'),
        base_volume: decimalText.describe('Whole tokens traded in the last 24 hours.'),
        target_volume: decimalText.describe('Value traded in the last 24 hours, in the target currency.'),
        liquidity_in_usd: decimalText.describe('Liquidity of the main pool in USD.'),
        high: decimalText.describe('Highest price of the last 24 hours, in the target currency.'),
        low: decimalText.describe('Lowest price of the last 24 hours, in the target currency.'),
      })
      .meta({ id: 'CoingeckoTicker', description: 'What a token’s main pool did in the last 24 hours.' }),
  )
  .describe('At most 100, those with the largest volume in WETH first.')

const coingeckoTrade = z
  .object({
    trade_id: z.string().describe('`<blockNumber>-<logIndex>`.'),
    price: decimalText.describe('`target_volume` divided by `base_volume`.'),
    base_volume: decimalText.describe('Whole tokens bought or sold.'),
    target_volume: decimalText.describe('Whole units of the target currency: paid, fee included, or received, fee taken off.'),
    trade_timestamp: count.describe('Unix seconds of the trade’s block.'),
    type: z.enum(['buy', 'sell']).describe('Whether the token was bought or sold.'),
  })
  .meta({ id: 'CoingeckoTrade', description: 'A trade in the token’s main pool.' })

export const coingeckoTradesAnswer = z
  .object({
    buy: z.array(coingeckoTrade).describe('Buys, newest first.'),
    sell: z.array(coingeckoTrade).describe('Sells, newest first.'),
  })
  .meta({ id: 'CoingeckoTrades', description: 'Trades of a token.' })
