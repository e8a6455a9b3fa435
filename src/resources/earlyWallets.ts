import { z } from 'zod'
import { EARLY_CLASSES } from '#domain/earlyWallets.ts'
import { tokenParameter } from './parameters.ts'
import { defineResource } from './resource.ts'
import { addressText, count, integerText, MAY_GROW } from './values.ts'
import type { Wire } from './wire.ts'

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
  cacheControl: 'revalidate',
  outdatedBy: 'tokenChange',
  problems: ['token_not_found', 'data_unavailable'],
})
