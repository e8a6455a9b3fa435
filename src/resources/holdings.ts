import { z } from 'zod'
import { cursorAddress, cursorBlock, cursorDecimal } from './cursorFields.ts'
import { addressParameter, pageParameters, wordParameter } from './parameters.ts'
import { defineList, type QueryOf } from './resource.ts'
import { tokenSummaryFields } from './tokenSummary.ts'
import { toUsd } from './usd.ts'
import { balanceWithUsd, valuedBalanceFields } from './valuedBalance.ts'
import { decimalText, integerText } from './values.ts'
import type { Wire } from './wire.ts'

const weth = decimalText.nullable()
const usd = decimalText.nullable()

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
  cacheControl: 'revalidate',
  outdatedBy: 'commit',
  problems: ['data_unavailable'],
  valued: (item, { ethUsd }) => holdingWithUsd(item, ethUsd),
})

export type HoldingsQuery = QueryOf<typeof holdings>
export type HoldingCursor = NonNullable<HoldingsQuery['cursor']>
export type HoldingSort = HoldingsQuery['sort']
