import { z } from 'zod'
import { amountWithUsd, claimableAmountSchema } from './claimable.ts'
import { cursorAddress, cursorText } from './cursorFields.ts'
import { addressParameter, pageParameters } from './parameters.ts'
import { defineList, type QueryOf } from './resource.ts'
import { addressText, integerText } from './values.ts'
import type { Wire } from './wire.ts'

const walletClaimSchema = claimableAmountSchema
  .extend({
    launchpad: z.string().describe('Name of the launchpad.'),
    token: addressText.nullable().describe('Address of the token. `null`: the amount is in an escrow for all tokens of the creator.'),
    asOfBlock: integerText.describe(
      'Number of the block as of which the amounts are. For fees of an LP position: the block at which they were last read.',
    ),
  })
  .meta({ id: 'WalletClaim', description: 'What an account can claim as a creator in one currency.' })

/** What an account can claim as a creator in one currency: of one token, or of an escrow for all of its tokens. */
export type WalletClaim = Wire<typeof walletClaimSchema>

/** The key of the last claim of a page. */
const cursor = z.object({ token: cursorAddress, launchpad: cursorText(64), currency: cursorAddress })

export const claims = defineList({
  id: 'listClaims',
  tag: 'Wallets',
  path: '/api/wallets/:address/claimable',
  summary: 'Everything that an account can claim as a creator, and the calls that pay it out',
  parameters: z.object({ address: addressParameter.describe('Address of the wallet.'), ...pageParameters({ max: 500, default: 50 }) }),
  name: 'WalletClaimList',
  meaning: 'A page of claims.',
  item: walletClaimSchema,
  cursor: () => cursor,
  cacheControl: 'revalidate',
  outdatedBy: 'commit',
  problems: ['data_unavailable'],
  valued: amountWithUsd,
})

export type ClaimsQuery = QueryOf<typeof claims>
export type ClaimCursor = Wire<typeof cursor>
