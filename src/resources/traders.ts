import { z } from 'zod'
import { EARLY_CLASSES } from '#domain/holder.ts'
import { LEADER_WINDOWS } from '#domain/windows.ts'
import { classesSchema, holderTypeSchema } from './holders.ts'
import { pageParameters, textParameter, tokenParameter, wordParameter } from './parameters.ts'
import { cursorAddress, cursorDecimal, defineList, type QueryOf } from './resource.ts'
import { addressText, count, decimalText, integerText, timeText, type Wire } from './values.ts'
import { balanceWithUsd, valuedBalanceFields } from './wallet.ts'

const weth = decimalText.nullable()
const usd = decimalText.nullable()

const traderSchema = z
  .object({
    address: addressText.describe('The account that trades.'),
    type: holderTypeSchema,
    buys: count.describe('Number of buys.'),
    sells: count.describe('Number of sales.'),
    boughtToken: integerText.describe('Tokens bought, in the smallest unit.'),
    soldToken: integerText.describe('Tokens sold, in the smallest unit.'),
    boughtWeth: weth.describe('Paid for buys, fees included, in WETH. `null`: the value of at least one buy is unknown.'),
    boughtUsd: usd.describe('The same in USD, valued at the time of each trade. `null`: the value of at least one buy was unknown.'),
    soldWeth: weth.describe('Received for sales, fees taken off, in WETH. `null`: the value of at least one sale is unknown.'),
    soldUsd: usd.describe('The same in USD, valued at the time of each trade. `null`: the value of at least one sale was unknown.'),
    volumeWeth: weth.describe('Sum of `boughtWeth` and `soldWeth`. `null` where one of them is `null`.'),
    volumeUsd: usd.describe('Sum of `boughtUsd` and `soldUsd`. `null` where one of them is `null`.'),
    ...valuedBalanceFields,
    firstTradeAt: timeText.describe('Block time of the account’s first trade of the token.'),
    lastTradeAt: timeText.describe('Block time of the account’s last trade of the token.'),
    classes: classesSchema,
  })
  .meta({ id: 'Trader', description: 'An account that has traded a token, with its profit by average cost. Gas is not counted.' })

export type Trader = Wire<typeof traderSchema>

/** The sort value and account of the last row of a page. A `null` value: the rows without one, which come last. */
const cursor = z.object({ value: cursorDecimal.nullable(), address: cursorAddress })

export const TRADER_SORTS = ['realized', 'volume', 'bought', 'sold', 'balance'] as const

export const traders = defineList({
  id: 'listTraders',
  tag: 'Tokens',
  path: '/api/tokens/:address/traders',
  summary: 'Who traded a token, what it cost them and what they earned',
  parameters: z.object({
    address: tokenParameter,
    sort: wordParameter(TRADER_SORTS)
      .default('realized')
      .describe('What the traders are sorted by, the largest first; all but `balance` in WETH. Traders without a value come last.'),
    class: wordParameter(EARLY_CLASSES)
      .exactOptional()
      .describe('Only traders of this early class. A page may hold fewer than `limit`, even none, and have a next one.'),
    ...pageParameters({ max: 500, default: 50 }),
  }),
  name: 'TraderList',
  meaning: 'A page of traders.',
  item: traderSchema,
  cursor: () => cursor,
  valued: (item, { ethUsd }) => balanceWithUsd(item, ethUsd),
})

export type TradersQuery = QueryOf<typeof traders>
export type TraderCursor = Wire<typeof cursor>

const leaderSchema = z
  .object({
    address: addressText.describe('The account that trades.'),
    buys: count.describe('Number of buys in the window.'),
    sells: count.describe('Number of sales in the window.'),
    boughtWeth: decimalText.describe('Paid for buys, fees included, in WETH. Trades of unknown value are left out, here and below.'),
    boughtUsd: decimalText.describe('The same in USD, valued at the time of each trade.'),
    soldWeth: decimalText.describe('Received for sales, fees taken off, in WETH.'),
    soldUsd: decimalText.describe('The same in USD, valued at the time of each trade.'),
    volumeWeth: decimalText.describe('Sum of `boughtWeth` and `soldWeth`.'),
    volumeUsd: decimalText.describe('Sum of `boughtUsd` and `soldUsd`.'),
    realizedWeth: decimalText.describe(
      'Proceeds of the window’s sales minus the average cost of the sold tokens, in WETH. Sales of unknown profit are left out.',
    ),
    realizedUsd: decimalText.describe('The same in USD, valued at the time of each trade.'),
    tradesWithoutWethValue: count.describe('Number of trades that the amounts in WETH leave out.'),
    tradesWithoutUsdValue: count.describe('Number of trades that the amounts in USD leave out.'),
    salesWithoutWethProfit: count.describe('Number of sales that `realizedWeth` leaves out.'),
    salesWithoutUsdProfit: count.describe('Number of sales that `realizedUsd` leaves out.'),
    lastTradeAt: timeText.describe('Block time of the account’s last trade.'),
  })
  .meta({ id: 'Leader', description: 'What an account has traded and earned within a window, over all tokens. Gas is not counted.' })

export type Leader = Wire<typeof leaderSchema>

/** The sort value and account of the last row of a page. */
const leaderCursor = z.object({ value: cursorDecimal, address: cursorAddress })

export const LEADER_SORTS = ['realized', 'volume', 'bought', 'sold'] as const

export const leaders = defineList({
  id: 'listLeaders',
  tag: 'Market',
  path: '/api/traders',
  summary: 'Who earned or traded most over all tokens',
  parameters: z.object({
    window: wordParameter(LEADER_WINDOWS).default('24h').describe('The time before `asOfBlock` of which trades count.'),
    sort: wordParameter(LEADER_SORTS)
      .default('realized')
      .describe('What the traders are sorted by, the largest first, in WETH; `realized` is the profit of sales within the window.'),
    launchpad: textParameter(64).exactOptional().describe('Only trades of tokens of this launchpad.'),
    ...pageParameters({ max: 500, default: 50 }),
  }),
  name: 'LeaderList',
  meaning: 'A page of leaders.',
  item: leaderSchema,
  cursor: () => leaderCursor,
  cacheControl: 'seconds',
})

export type LeadersQuery = QueryOf<typeof leaders>
export type LeaderCursor = Wire<typeof leaderCursor>
