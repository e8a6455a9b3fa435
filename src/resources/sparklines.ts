import { z } from 'zod'
import { addressParameter, listParameter } from './parameters.ts'
import { defineList, type QueryOf } from './resource.ts'
import { addressText, count, decimalText } from './values.ts'
import type { Wire } from './wire.ts'

const priceLineSchema = z
  .object({
    token: addressText.describe('Address of the token.'),
    times: z.array(count).describe('Unix seconds, ascending: from 24 hours ago, or from the launch, to the newest indexed block.'),
    prices: z.array(decimalText).describe('Prices at these times in WETH per whole token.'),
  })
  .meta({
    id: 'PriceLine',
    description:
      'The course of `priceChange.h24`: it begins with the price that the change is measured from, and ends with the ' +
      'present one. Both lists are as long, at most 27, and empty where the change is unknown.',
  })

export type PriceLine = Wire<typeof priceLineSchema>

export const sparklines = defineList({
  id: 'listSparklines',
  tag: 'Market',
  path: '/api/sparklines',
  summary: 'The last 24 hours of several tokens as short lines of prices, in one page',
  parameters: z.object({
    tokens: listParameter(addressParameter, 100, 'addresses (0x and 40 hex digits)').describe(
      'The tokens. An address that is not an indexed token is left out.',
    ),
  }),
  name: 'PriceLineList',
  meaning: 'Lines of prices.',
  item: priceLineSchema,
  cursor: null,
  rows: ({ tokens }) => tokens.length,
  cacheControl: 'revalidate',
  outdatedBy: 'commit',
  problems: ['data_unavailable'],
})

export type SparklinesQuery = QueryOf<typeof sparklines>
