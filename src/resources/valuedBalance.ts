import { z } from 'zod'
import { type Decimal, formatDecimal, parseDecimal } from '#domain/decimal.ts'
import { toUsdAmount } from './usd.ts'
import { decimalText, integerText, percent } from './values.ts'
import type { Wire } from './wire.ts'

const weth = decimalText.nullable()
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
