import { z } from 'zod'
import { EARLY_CLASSES, HOLDER_TYPES } from '#domain/holder.ts'
import { listParameter, pageParameters, tokenParameter, wordParameter } from './parameters.ts'
import { cursorAddress, cursorBalance, defineList, defineResource, integerCursor, type QueryOf } from './resource.ts'
import { addressText, count, INT32_MAX, integerText, MAY_GROW, percent, type Wire } from './values.ts'

const holderDistributionSchema = z
  .object({
    token: addressText.describe('Address of the token.'),
    holderCount: count.describe('Number of addresses with a balance.'),
    topTenPercent: percent.describe('Share of the ten largest holders together, in percent.'),
    creatorPercent: percent.describe('Share of the account that launched the token, in percent.'),
    reservePercent: percent.describe(
      'Share of the pools, curves, lockers and burn addresses that hold at least 0.1 percent each, in percent.',
    ),
    sizes: z
      .array(
        z
          .object({
            minPercent: percent.describe(
              'A holder of this size has at least this share, in percent, and less than `minPercent` of the size before.',
            ),
            holders: count.describe('Number of holders of this size.'),
            percent: percent.describe('Share of these holders together, in percent.'),
          })
          .meta({ id: 'HolderSize', description: 'Holders of one size.' }),
      )
      .describe('Holders by size, the largest first. The last size is all other holders, with the rest of the supply.'),
    asOfBlock: integerText.describe('Number of the newest indexed block.'),
  })
  .meta({
    id: 'HolderDistribution',
    description:
      'How a token is spread over its holders, in percent of the total supply. Pools, curves, lockers and burn ' +
      'addresses count in `holderCount` and `reservePercent` only; those below 0.1 percent are in the last size ' +
      'instead.',
  })

export type HolderDistribution = Wire<typeof holderDistributionSchema>

export const distribution = defineResource({
  id: 'getHolderDistribution',
  tag: 'Tokens',
  path: '/api/tokens/:address/holders/distribution',
  summary: 'How a token is spread over its holders: the ten largest, the creator, and holders by size',
  parameters: z.object({ address: tokenParameter }),
  answer: holderDistributionSchema,
})

export const earlyClassSchema = z
  .enum(EARLY_CLASSES)
  .describe(
    '`creator`: the account that launched the token. `sniper`: another account that bought in a block at most 5 s after the first trade ' +
      'that the creator did not make. `bundler`: one of at least 4 accounts, the creator not counted, that bought in one block at most 5 s ' +
      `after the block of the launch. \`insider\`: it got tokens from the creator or an insider by transfer before it ever bought. ${MAY_GROW}`,
  )

export const classesSchema = z
  .array(earlyClassSchema)
  .nullable()
  .describe('How the account came by the token early; it may have several classes. `null`: not known, as in the token’s `early`.')

/** Of the total supply. Accounts that buy and sell again and again can have bought more than all of it. */
const share = z.number().min(0).nullable()
const UNKNOWN = '`null`: not known, because an earlier version has indexed the token, or there is no supply.'

const earlyWalletsSchema = z
  .object({
    token: addressText.describe('Address of the token.'),
    asOfBlock: integerText.describe('Number of the newest indexed block.'),
    classes: z
      .array(
        z
          .object({
            class: earlyClassSchema,
            wallets: count
              .nullable()
              .describe('Number of accounts of this class. `null`: not known, because an earlier version has indexed the token.'),
            boughtPercent: share.describe(`What they have bought, in percent of the supply; may be above 100. ${UNKNOWN}`),
            heldPercent: share.describe(`What they hold now, in percent of the supply. ${UNKNOWN}`),
            soldPercent: share.describe(`What they have sold, in percent of the supply; may be above 100. ${UNKNOWN}`),
          })
          .meta({ id: 'EarlyClassTotals', description: 'The accounts of one class together.' }),
      )
      .length(EARLY_CLASSES.length)
      .describe('One row for each class. An account of several classes counts in each.'),
  })
  .meta({
    id: 'EarlyWallets',
    description: 'Who came by a token early. All of it follows from events, so that it is the same after any reorg or rebuild.',
  })

export type EarlyWallets = Wire<typeof earlyWalletsSchema>

export const earlyWallets = defineResource({
  id: 'getEarlyWallets',
  tag: 'Tokens',
  path: '/api/tokens/:address/early-wallets',
  summary: 'Who came by a token early: its creator, snipers, bundlers and insiders, and what they bought, hold and sold',
  parameters: z.object({ address: tokenParameter }),
  answer: earlyWalletsSchema,
})

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
})

export type HoldersQuery = QueryOf<typeof holders>
export type HolderCursor = Wire<typeof cursor>
