import { z } from 'zod'
import { HOLDER_TYPES } from '#domain/holder.ts'
import { cursorAddress, cursorBalance, integerCursor } from './cursorFields.ts'
import { classesSchema } from './earlyWallets.ts'
import { listParameter, pageParameters, tokenParameter, wordParameter } from './parameters.ts'
import { defineList, type QueryOf } from './resource.ts'
import { addressText, count, INT32_MAX, integerText, percent } from './values.ts'
import type { Wire } from './wire.ts'

export const holderTypeSchema = z
  .enum(HOLDER_TYPES)
  .describe(
    'What the account is. `contract`: it has code, which is checked for the largest holders only; contracts among ' +
      'smaller ones are a `wallet`.',
  )

export const holderSchema = z
  .object({
    rank: count.min(1).describe('Rank by balance, from 1; equal balances are ranked by address.'),
    address: addressText.describe('The account that holds the token.'),
    balance: integerText.describe('Balance in the smallest unit, computed from transfers.'),
    percent: percent.describe('Share of the total supply, 0 to 100.'),
    type: holderTypeSchema,
    lastChangedBlock: integerText.describe('Number of the block that changed the balance last.'),
    classes: classesSchema,
  })
  .meta({ id: 'Holder', description: 'An account that holds a token.' })

export type Holder = Wire<typeof holderSchema>

const cursor = z.object({ balance: cursorBalance, address: cursorAddress, rank: integerCursor(INT32_MAX) })

export const holders = defineList({
  id: 'listHolders',
  tag: 'Tokens',
  path: '/api/tokens/:address/holders',
  summary: 'Holders of a token, the largest first',
  parameters: z.object({
    address: tokenParameter,
    excludeType: listParameter(wordParameter(HOLDER_TYPES), HOLDER_TYPES.length, `of ${HOLDER_TYPES.join(', ')}`)
      .default([])
      .describe('Types of holders to leave out.'),
    ...pageParameters({ max: 500, default: 50 }),
  }),
  name: 'HolderList',
  meaning: 'A page of holders.',
  item: holderSchema,
  cursor: () => cursor,
  cacheControl: 'revalidate',
  outdatedBy: 'tokenChange',
  problems: ['token_not_found', 'data_unavailable'],
})

export type HoldersQuery = QueryOf<typeof holders>
export type HolderCursor = Wire<typeof cursor>
