import { z } from 'zod'
import { claimableAmountSchema, listSchema } from './resources.ts'
import { holderTypeSchema } from './token.ts'
import { addressText, count, decimalText, integerText, percent, timeText } from './values.ts'

/* What accounts hold, trade and claim. */

const weth = decimalText.nullable()
const usd = decimalText.nullable()
const NO_COST = '`null`: a part of the balance came by transfer, or for an unknown price.'
const NO_USD = '`null`: a part of the balance came by transfer, or for an unknown price in USD.'

const valuedBalance = {
  balance: integerText
    .nullable()
    .describe('Balance in the smallest unit. `null`: unknown, since more left the account than known transfers brought.'),
  percent: percent.nullable().describe('Share of the total supply, 0 to 100. `null` where `balance` is `null`.'),
  valueWeth: weth.describe(
    'Worth of the balance at the market’s price, in WETH. `null`: the balance or the token’s price in WETH is unknown.',
  ),
  valueUsd: usd.describe('Worth of the balance in USD, by the current ETH price or a USD peg of the quote currency. `null`: unknown.'),
  costWeth: weth.describe(`What the balance cost by average price, in WETH. ${NO_COST}`),
  costUsd: usd.describe(`The same in USD at the time of each buy. ${NO_USD}`),
  averageCostWeth: weth.describe('`costWeth` per whole token. `null` where `costWeth` is `null` or the balance is 0 or unknown.'),
  averageCostUsd: usd.describe('`costUsd` per whole token. `null` where `costUsd` is `null` or the balance is 0 or unknown.'),
  unrealizedWeth: weth.describe('`valueWeth` minus `costWeth`. `null` where one of them is `null`.'),
  unrealizedUsd: usd.describe('`valueUsd` minus `costUsd`. `null` where one of them is `null`.'),
  realizedWeth: weth.describe(
    'Proceeds of sales minus the average cost of the sold tokens, in WETH. `null`: the cost or the proceeds of a part are unknown.',
  ),
  realizedUsd: usd.describe(
    'The same in USD, valued at the time of each trade. `null`: the cost or the proceeds of a part are unknown in USD.',
  ),
}

export const traderSchema = z
  .object({
    address: addressText.describe('The account that trades.'),
    type: holderTypeSchema,
    buys: count.describe('Number of buys.'),
    sells: count.describe('Number of sales.'),
    boughtToken: integerText.describe('Tokens bought, in the smallest unit.'),
    soldToken: integerText.describe('Tokens sold, in the smallest unit.'),
    boughtWeth: weth.describe('Paid for buys, fees included, in WETH. `null`: the worth of at least one buy is unknown.'),
    boughtUsd: usd.describe('The same in USD, valued at the time of each trade. `null`: the worth of at least one buy was unknown.'),
    soldWeth: weth.describe('Received for sales, fees taken off, in WETH. `null`: the worth of at least one sale is unknown.'),
    soldUsd: usd.describe('The same in USD, valued at the time of each trade. `null`: the worth of at least one sale was unknown.'),
    volumeWeth: weth.describe('Sum of `boughtWeth` and `soldWeth`. `null` where one of them is `null`.'),
    volumeUsd: usd.describe('Sum of `boughtUsd` and `soldUsd`. `null` where one of them is `null`.'),
    ...valuedBalance,
    firstTradeAt: timeText.describe('Block time of the account’s first trade of the token.'),
    lastTradeAt: timeText.describe('Block time of the account’s last trade of the token.'),
  })
  .meta({ id: 'Trader', description: 'An account that has traded a token, with its profit by average cost. Gas is not counted.' })

export const holdingSchema = z
  .object({
    token: z
      .object({
        address: addressText.describe('Address of the token.'),
        symbol: z.string().nullable().describe('Symbol: untrusted text. `null`: unknown.'),
        name: z.string().nullable().describe('Name: untrusted text. `null`: unknown.'),
        decimals: count.describe('Decimal places of a whole token.'),
        imageUrl: z.string().nullable().describe('Image behind the metadata URI: untrusted. `null`: none, or not fetched yet.'),
        launchpad: z.string().describe('Name of the launchpad.'),
        priceWeth: weth.describe('WETH per whole token. `null`: unknown.'),
        priceUsd: usd.describe('USD per whole token. `null`: unknown.'),
      })
      .describe('The token.'),
    ...valuedBalance,
    lastChangedBlock: integerText.describe('Number of the block that changed the balance last.'),
  })
  .meta({ id: 'Holding', description: 'A token that a wallet holds.' })

export const walletSchema = z
  .object({
    address: addressText.describe('The account.'),
    tokensHeld: count.nullable().describe('Number of tokens that the account holds. `null`: more than 2,000.'),
    valueWeth: weth.describe(
      'Worth of the held tokens that have a price in WETH. `null`: none has one, or the account holds more than 2,000 tokens.',
    ),
    valueUsd: usd.describe('`valueWeth` in USD at the current ETH price. `null`: `valueWeth` is `null`, or the ETH price is unknown.'),
    trades: count.describe('Number of trades by the account.'),
    tokensTraded: count.describe('Number of tokens that the account has traded.'),
    volumeWeth: decimalText.describe('Traded value in WETH. Trades of unknown worth are left out.'),
    realizedWeth: weth.describe(
      'Realized profit in WETH, summed over the traded tokens for which it is known. `null`: it is known for none of them.',
    ),
    realizedUsd: usd.describe('The same in USD, valued at the time of each trade. `null`: it is known for none of the traded tokens.'),
    tokensWithoutWethProfit: count.describe('Number of traded tokens that `realizedWeth` leaves out.'),
    tokensWithoutUsdProfit: count.describe('Number of traded tokens that `realizedUsd` leaves out.'),
    tokensCreated: count.describe('Number of tokens that the account launched.'),
    firstSeenAt: timeText.nullable().describe('Block time of the account’s first trade or launch. `null`: it has neither.'),
    lastSeenAt: timeText.nullable().describe('Block time of the account’s last trade or launch. `null`: it has neither.'),
    asOfBlock: integerText.nullable().describe('Number of the newest indexed block. `null`: nothing is indexed yet.'),
  })
  .meta({
    id: 'Wallet',
    description: 'What an account holds, has traded and has created. An account without indexed activity has counts and sums of 0.',
  })

export const walletClaimSchema = claimableAmountSchema
  .extend({
    launchpad: z.string().describe('Name of the launchpad.'),
    token: addressText.nullable().describe('Address of the token. `null`: the amount is in an escrow for all tokens of the creator.'),
    asOfBlock: integerText.describe(
      'Number of the block as of which the amounts are. For fees of an LP position: the block at which they were last read.',
    ),
  })
  .meta({ id: 'WalletClaim', description: 'What an account can claim as a creator in one currency.' })

export const traderListSchema = listSchema(traderSchema).meta({ id: 'TraderList', description: 'A page of traders.' })
export const holdingListSchema = listSchema(holdingSchema).meta({ id: 'HoldingList', description: 'A page of holdings.' })
export const walletClaimListSchema = listSchema(walletClaimSchema).meta({ id: 'WalletClaimList', description: 'A page of claims.' })
