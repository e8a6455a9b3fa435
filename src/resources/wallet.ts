import { z } from 'zod'
import { addressParameter } from './parameters.ts'
import { defineResource } from './resource.ts'
import { toUsdAmount } from './usd.ts'
import { addressText, count, decimalText, integerText, timeText } from './values.ts'
import type { Wire } from './wire.ts'

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
  cacheControl: 'revalidate',
  outdatedBy: 'commit',
  problems: ['data_unavailable'],
  valued: (answer, { ethUsd }) => ({ ...answer, valueUsd: toUsdAmount(answer.valueWeth, ethUsd) }),
})
