import { z } from 'zod'
import { type Decimal, formatDecimal, parseDecimal } from '#domain/decimal.ts'
import { addressParameter, pageParameters, wordParameter } from './parameters.ts'
import { cursorAddress, cursorBlock, cursorDecimal, defineList, defineResource, type QueryOf } from './resource.ts'
import { tokenSummaryFields } from './token.ts'
import { addressText, count, decimalText, integerText, percent, timeText, toUsd, toUsdAmount, type Wire } from './values.ts'

const weth = decimalText.nullable()

const walletSchema = z
  .object({
    address: addressText.describe('The account.'),
    tokensHeld: count.nullable().describe('Number of tokens that the account holds. `null`: more than 2,000.'),
    valueWeth: weth.describe(
      'Value of the held tokens that have a price in WETH. `null`: none has one, or the account holds more than 2,000 tokens.',
    ),
    valueUsd: decimalText
      .nullable()
      .describe('`valueWeth` in USD at the current ETH price. `null`: `valueWeth` is `null`, or the ETH price is unknown.'),
    trades: count.describe('Number of trades by the account.'),
    tokensTraded: count.describe('Number of tokens that the account has traded.'),
    volumeWeth: decimalText.describe('Traded value in WETH. Trades of unknown value are left out.'),
    realizedWeth: weth.describe(
      'Realized profit in WETH, summed over the traded tokens for which it is known. `null`: it is known for none of them.',
    ),
    realizedUsd: decimalText
      .nullable()
      .describe('The same in USD, valued at the time of each trade. `null`: it is known for none of the traded tokens.'),
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

/** What an account holds, has traded and has created, over all tokens. */
export type Wallet = Wire<typeof walletSchema>

export const wallet = defineResource({
  id: 'getWallet',
  tag: 'Wallets',
  path: '/api/wallets/:address',
  summary: 'What an account holds, has traded and has created; zeros for an account without indexed activity',
  parameters: z.object({ address: addressParameter.describe('Address of the wallet.') }),
  answer: walletSchema,
  valued: (answer, { ethUsd }) => ({ ...answer, valueUsd: toUsdAmount(answer.valueWeth, ethUsd) }),
})

const usd = decimalText.nullable()
const NO_COST = '`null`: a part of the balance came by transfer, or for an unknown price.'
const NO_USD = '`null`: a part of the balance came by transfer, or for an unknown price in USD.'

/** What an account holds of a token, its value, and what it cost by average price. */
export const valuedBalanceFields = {
  balance: integerText
    .nullable()
    .describe('Balance in the smallest unit. `null`: unknown, since more left the account than known transfers brought.'),
  percent: percent.nullable().describe('Share of the total supply, 0 to 100. `null` where `balance` is `null`.'),
  valueWeth: weth.describe(
    'Value of the balance at the market’s price, in WETH. `null`: the balance or the token’s price in WETH is unknown.',
  ),
  valueUsd: usd.describe('Value of the balance in USD, by the current ETH price or a USD peg of the quote currency. `null`: unknown.'),
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

const valuedBalanceSchema = z.object(valuedBalanceFields)
export type ValuedBalance = Wire<typeof valuedBalanceSchema>

/** Fills in the values that depend on the present price. What was paid stays in USD of its time. */
export function balanceWithUsd<Balance extends ValuedBalance>(balance: Balance, ethUsd: string | null): Balance {
  const valueUsd = balance.valueUsd ?? toUsdAmount(balance.valueWeth, ethUsd)
  return { ...balance, valueUsd, unrealizedUsd: difference(valueUsd, balance.costUsd) }
}

function difference(a: string | null, b: string | null): string | null {
  return a === null || b === null ? null : formatDecimal((parseDecimal(a) - parseDecimal(b)) as Decimal)
}

const holdingSchema = z
  .object({
    token: z
      .object({
        ...tokenSummaryFields,
        priceWeth: weth.describe('WETH per whole token. `null`: unknown.'),
        priceUsd: usd.describe('USD per whole token. `null`: unknown.'),
      })
      .meta({ id: 'HeldToken', description: 'The token.' }),
    ...valuedBalanceFields,
    lastChangedBlock: integerText.describe('Number of the block that changed the balance last.'),
  })
  .meta({ id: 'Holding', description: 'A token that a wallet holds.' })

/** A token that a wallet holds. */
export type Holding = Wire<typeof holdingSchema>

/** The sort value and token of the last row of a page. A `null` value: the rows without one, which come last. */
const cursorBy = (value: z.ZodType<string | null>) => z.object({ value, token: cursorAddress })
const CURSORS = { value: cursorBy(cursorDecimal.nullable()), balance: cursorBy(cursorDecimal), lastChanged: cursorBy(cursorBlock) }

function holdingWithUsd(holding: Holding, ethUsd: string | null): Holding {
  const { token } = holding
  return { ...balanceWithUsd(holding, ethUsd), token: { ...token, priceUsd: token.priceUsd ?? toUsd(token.priceWeth, ethUsd) } }
}

export const HOLDING_SORTS = ['value', 'balance', 'lastChanged'] as const

export const holdings = defineList({
  id: 'listHoldings',
  tag: 'Wallets',
  path: '/api/wallets/:address/holdings',
  summary: 'The tokens that a wallet holds, what they are worth and what they cost',
  parameters: z.object({
    address: addressParameter.describe('Address of the wallet.'),
    sort: wordParameter(HOLDING_SORTS)
      .default('value')
      .describe(
        'What the holdings are sorted by, the largest or newest first; holdings without a value come last. If the wallet ' +
          'holds more than 2,000 tokens, `value` and `balance` sort only the 2,000 whose balance changed last.',
      ),
    ...pageParameters({ max: 500, default: 50 }),
  }),
  name: 'HoldingList',
  meaning: 'A page of holdings.',
  item: holdingSchema,
  cursor: ({ sort }) => CURSORS[sort],
  valued: (item, { ethUsd }) => holdingWithUsd(item, ethUsd),
})

export type HoldingsQuery = QueryOf<typeof holdings>
export type HoldingCursor = NonNullable<HoldingsQuery['cursor']>
export type HoldingSort = HoldingsQuery['sort']
