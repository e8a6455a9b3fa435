import { z } from 'zod'
import { holderSchema, tokenSchema, tradeSchema } from './token.ts'
import { addressText, callDataText, count, decimalText, integerText, percent, timeText } from './values.ts'

/*
 * The resources of REST, WebSocket and SSE, with the meaning of each field. The descriptions of the service are generated from these
 * schemas, and tests compare every answer and the shapes of the client with them.
 */

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
      'Prices of one interval, from its trades, each valued at the quote currency’s worth at that time. The newest ' +
      'candle in WETH closes at the current price.',
  })

const claimCall = z
  .object({ to: addressText.describe('Address of the contract to call.'), data: callDataText.describe('Call data.') })
  .describe('The call that pays out; the creator must send it. `null`: the launchpad has no such call, or nothing can be paid out.')

export const claimableAmountSchema = z.object({
  currency: addressText.describe('Address of the currency; the zero address is the native one.'),
  symbol: z.string().nullable().describe('Symbol of the currency: untrusted text. `null`: unknown.'),
  decimals: count.nullable().describe('Decimal places of the currency. `null`: unknown.'),
  accrued: integerText
    .nullable()
    .describe('Earned so far, in the currency’s smallest unit. `null`: these are fees of an LP position, not read yet.'),
  claimed: integerText.describe('Paid out so far, in the currency’s smallest unit.'),
  amount: integerText.nullable().describe('Claimable now, in the currency’s smallest unit. `null` where `accrued` is `null`.'),
  amountUsd: decimalText
    .nullable()
    .describe('`amount` in USD. `null`: unknown, or the currency is neither ETH nor WETH nor pegged to USD.'),
  scope: z
    .enum(['token', 'creator'])
    .describe('`token`: owed for this token alone; `creator`: in one escrow for all tokens of the creator.'),
  claim: claimCall.nullable(),
})

export const claimableSchema = z
  .object({
    token: addressText.describe('Address of the token.'),
    creator: addressText.describe('The account that may claim.'),
    asOfBlock: integerText.describe(
      'Number of the block as of which the amounts are. For fees of an LP position: the block at which they were last read.',
    ),
    claimable: z.array(claimableAmountSchema).describe('One entry per currency.'),
  })
  .meta({ id: 'Claimable', description: 'What a creator can claim of a token’s fees, from accruals and claims on chain.' })

export const holderDistributionSchema = z
  .object({
    token: addressText.describe('Address of the token.'),
    holderCount: count.describe('Number of addresses with a balance.'),
    topTenPercent: percent.describe('Share of the ten largest holders together, in percent.'),
    creatorPercent: percent.describe('Share of the account that launched the token, in percent.'),
    reservePercent: percent.describe(
      'Share of the pools, curves, lockers and burn addresses that hold at least 0.1 percent each, in percent.',
    ),
    sizes: z
      .array(
        z.object({
          minPercent: percent.describe(
            'A holder of this size has at least this share, in percent, and less than `minPercent` of the size before.',
          ),
          holders: count.describe('Number of holders of this size.'),
          percent: percent.describe('Share of these holders together, in percent.'),
        }),
      )
      .describe('Holders by size, the largest first. The last size is all other holders, with the rest of the supply.'),
    asOfBlock: integerText.describe('Number of the newest indexed block.'),
  })
  .meta({
    id: 'HolderDistribution',
    description:
      'How a token is spread over its holders, in percent of the total supply. Pools, curves, lockers and burn ' +
      'addresses count in `holderCount` and `reservePercent` only; those below 0.1 percent are in the last size ' +
      'instead.',
  })

export const ethUsdSchema = z
  .object({
    price: decimalText.describe('USD per ETH.'),
    currency: z.literal('USD').describe('Currency of the price.'),
    source: z.enum(['coingecko', 'coinbase', 'simulated']).describe('The provider that gave the price; `simulated`: a development chain.'),
    fetchedAt: timeText.describe('When the price was fetched.'),
    ageSeconds: z.number().min(0).describe('Seconds since `fetchedAt`.'),
    stale: z.boolean().describe('`true`: no provider answers now, and this is an earlier price, at most 10 minutes old.'),
  })
  .meta({ id: 'EthUsd', description: 'The price of ETH.' })

export const chainStatsSchema = z
  .object({
    chainId: count.describe('EIP-155 id of the chain.'),
    headBlock: integerText.nullable().describe('Number of the newest block that the providers report. `null`: none answered yet.'),
    indexedBlock: integerText.describe('Number of the newest indexed block.'),
    blockTimeMs: z.number().min(0).nullable().describe('Average time between recent blocks, in ms. `null`: not known yet.'),
    baseFeeGwei: decimalText.nullable().describe('Base fee of the newest block, in gwei. `null`: unknown.'),
    tokens: count.describe('Number of indexed tokens.'),
    tokens24h: count.describe('Tokens launched in the last 24 hours.'),
    bonding: count.describe('Tokens on their curve.'),
    completed: count.describe('Tokens that reached their target and have no pool yet.'),
    migrated: count.describe('Tokens that have graduated.'),
    trades24h: count.describe('Trades of the last 24 hours.'),
    traders24h: count.describe('Accounts that traded in the last 24 hours.'),
    volumeWeth24h: decimalText.describe('Value traded in the last 24 hours, in WETH.'),
    volumeUsd24h: decimalText.nullable().describe('`volumeWeth24h` in USD. `null`: the ETH price is unknown.'),
    liquidityWeth: decimalText.describe('Sum of the pools’ known liquidity, in WETH.'),
    asOfBlock: integerText.describe('Number of the block as of which the totals are.'),
    updatedAt: timeText.describe('Time of that block’s commit.'),
  })
  .meta({ id: 'ChainStats', description: 'Totals of the whole index. The 24 hours end at the time of the newest indexed block.' })

export const launchpadSchema = z
  .object({
    name: z.string().describe('Name of the launchpad in `launchpads.json`.'),
    adapter: z.string().describe('Name of the adapter that reads the launchpad’s events.'),
    tokens: count.describe('Number of tokens of the launchpad.'),
    tokens24h: count.describe('Tokens launched in the last 24 hours.'),
    bonding: count.describe('Tokens on their curve.'),
    completed: count.describe('Tokens that reached their target and have no pool yet.'),
    migrated: count.describe('Tokens that have graduated.'),
    volumeWeth24h: decimalText.describe('Value traded in the last 24 hours, in WETH.'),
    trades24h: count.describe('Trades of the last 24 hours.'),
    graduationRate: percent
      .nullable()
      .describe(
        'Share of the launchpad’s tokens that reached their target, in percent. Tokens without a graduation do not count. ' +
          '`null`: there are no others.',
      ),
  })
  .meta({ id: 'Launchpad', description: 'Totals of one launchpad. The 24 hours end at the time of the newest indexed block.' })

/** The envelope of every list. */
export const listSchema = <T extends z.ZodType>(item: T) =>
  z.object({
    data: z.array(item).describe('The rows, in order.'),
    nextCursor: z.string().nullable().describe('Opaque cursor of the next page. `null`: this is the last one.'),
    asOfBlock: integerText
      .nullable()
      .describe('Number of the newest indexed block at the time of the answer. `null`: nothing is indexed yet.'),
  })

export const tokenListSchema = listSchema(tokenSchema).meta({ id: 'TokenList', description: 'A page of tokens.' })
export const tradeListSchema = listSchema(tradeSchema).meta({ id: 'TradeList', description: 'A page of trades.' })
export const holderListSchema = listSchema(holderSchema).meta({ id: 'HolderList', description: 'A page of holders.' })
export const launchpadListSchema = listSchema(launchpadSchema).meta({ id: 'LaunchpadList', description: 'The launchpads, in one page.' })
export const candleListSchema = listSchema(candleSchema).meta({ id: 'CandleList', description: 'A page of candles.' })
