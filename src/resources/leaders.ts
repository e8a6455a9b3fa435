import { z } from 'zod'
import { LEADER_WINDOWS } from '#domain/leaderWindow.ts'
import { cursorAddress, cursorDecimal } from './cursorFields.ts'
import { pageParameters, textParameter, wordParameter } from './parameters.ts'
import { defineList, type QueryOf } from './resource.ts'
import { addressText, count, decimalText, timeText } from './values.ts'
import type { Wire } from './wire.ts'

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
const cursor = z.object({ value: cursorDecimal, address: cursorAddress })

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
  cursor: () => cursor,
  cacheControl: 'seconds',
  outdatedBy: 'commit',
  problems: ['data_unavailable'],
})

export type LeadersQuery = QueryOf<typeof leaders>
export type LeaderCursor = Wire<typeof cursor>
