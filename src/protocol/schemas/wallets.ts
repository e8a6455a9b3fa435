import { z } from 'zod'
import { claimableAmountSchema, listSchema } from './resources.ts'
import { holderTypeSchema } from './token.ts'
import { addressText, count, decimalText, integerText, percent, timeText } from './values.ts'

/* What accounts hold, trade and claim. */

const weth = decimalText.nullable()
const usd = decimalText.nullable()
const NO_COST = '`null`: a part of it came by transfer, or for an unknown price.'
const NO_USD = '`null`: it is not in WETH, or the ETH price was not known.'

const valuedBalance = {
  balance: integerText.nullable().describe('Its balance in the smallest unit. `null`: transfers do not tell it.'),
  percent: percent.nullable().describe('Share of the total supply, 0 to 100. `null` where the balance is.'),
  valueWeth: weth.describe('Worth of the balance at the market’s price, in WETH. `null`: the token has no price in WETH.'),
  valueUsd: usd.describe('The same in USD. `null` also without a price of ETH.'),
  costWeth: weth.describe(`What the balance cost by average price, in WETH. ${NO_COST}`),
  costUsd: usd.describe(`The same in USD at the time of each buy. ${NO_USD}`),
  averageCostWeth: weth.describe('`costWeth` per whole token. `null` also where nothing is held.'),
  averageCostUsd: usd.describe('`costUsd` per whole token. `null` also where nothing is held.'),
  unrealizedWeth: weth.describe('`valueWeth` minus `costWeth`. `null` where one of them is.'),
  unrealizedUsd: usd.describe('`valueUsd` minus `costUsd`. `null` where one of them is.'),
  realizedWeth: weth.describe('What sales brought beyond the cost of what was sold, in WETH. `null`: the cost of a part is not known.'),
  realizedUsd: usd.describe('The same in USD at the time of each trade. `null`: of a part it is not known.'),
}

export const traderSchema = z
  .object({
    address: addressText.describe('The account that trades.'),
    type: holderTypeSchema,
    buys: count.describe('Number of buys.'),
    sells: count.describe('Number of sales.'),
    boughtToken: integerText.describe('Tokens bought, in the smallest unit.'),
    soldToken: integerText.describe('Tokens sold, in the smallest unit.'),
    boughtWeth: weth.describe('Paid for buys, fees included, in WETH. `null`: the worth of one is not known.'),
    boughtUsd: usd.describe('The same in USD at the time of each trade. `null`: of one it is not known.'),
    soldWeth: weth.describe('Received for sales, fees taken off, in WETH. `null`: the worth of one is not known.'),
    soldUsd: usd.describe('The same in USD at the time of each trade. `null`: of one it is not known.'),
    volumeWeth: weth.describe('`boughtWeth` and `soldWeth` together. `null` where one of them is.'),
    volumeUsd: usd.describe('`boughtUsd` and `soldUsd` together. `null` where one of them is.'),
    ...valuedBalance,
    firstTradeAt: timeText.describe('Block time of its first trade of the token.'),
    lastTradeAt: timeText.describe('Block time of its last trade of the token.'),
  })
  .meta({ id: 'Trader', description: 'An account that has traded a token, with what it earned by average price, gas not counted.' })

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
    tokensHeld: count.nullable().describe('Tokens that it holds. `null`: more than 2,000.'),
    valueWeth: weth.describe('Worth of those with a price, in WETH. `null`: none has one, or there are more than 2,000.'),
    valueUsd: usd.describe('The same in USD. `null` also without a price of ETH.'),
    trades: count.describe('Number of its trades.'),
    tokensTraded: count.describe('Number of tokens that it has traded.'),
    volumeWeth: decimalText.describe('Traded, in WETH. Trades whose worth is not known are left out.'),
    realizedWeth: weth.describe('Sum over the traded tokens of which it is known, in WETH. `null`: of none of them.'),
    realizedUsd: usd.describe('The same in USD at the time of each trade.'),
    tokensWithoutWethProfit: count.describe('Traded tokens that `realizedWeth` leaves out.'),
    tokensWithoutUsdProfit: count.describe('Traded tokens that `realizedUsd` leaves out.'),
    tokensCreated: count.describe('Number of tokens that it launched.'),
    firstSeenAt: timeText.nullable().describe('Block time of its first trade or launch. `null`: neither is indexed.'),
    lastSeenAt: timeText.nullable().describe('Block time of its last trade or launch. `null`: neither is indexed.'),
    asOfBlock: integerText.nullable().describe('Number of the newest indexed block. `null`: nothing is indexed yet.'),
  })
  .meta({ id: 'Wallet', description: 'What an account holds, has traded and has created. One that is not known has done nothing.' })

export const walletClaimSchema = claimableAmountSchema
  .extend({
    launchpad: z.string().describe('Name of the launchpad.'),
    token: addressText.nullable().describe('Address of the token. `null`: an escrow for all tokens of the creator.'),
    asOfBlock: integerText.describe('Number of the block of the amounts; fees of an LP position: the block of their last read.'),
  })
  .meta({ id: 'WalletClaim', description: 'What an account can claim as a creator in one currency.' })

export const traderListSchema = listSchema(traderSchema).meta({ id: 'TraderList', description: 'A page of traders.' })
export const holdingListSchema = listSchema(holdingSchema).meta({ id: 'HoldingList', description: 'A page of holdings.' })
export const walletClaimListSchema = listSchema(walletClaimSchema).meta({ id: 'WalletClaimList', description: 'A page of claims.' })
