import { z } from 'zod'
import { isEther } from '#domain/address.ts'
import { CLAIM_SCOPES } from '#domain/claimable.ts'
import { formatUnits } from '#domain/decimal.ts'
import { addressParameter, pageParameters, tokenParameter } from './parameters.ts'
import { cursorAddress, cursorText, defineList, defineResource, type QueryOf } from './resource.ts'
import { addressText, callDataText, count, decimalText, integerText, type PresentPrices, toUsd, type Wire } from './values.ts'

const claimCall = z
  .object({ to: addressText.describe('Address of the contract to call.'), data: callDataText.describe('Call data.') })
  .meta({
    id: 'ClaimCall',
    description: 'The call that pays out; the creator must send it. `null`: the launchpad has no such call, or nothing can be paid out.',
  })

const claimableAmountSchema = z
  .object({
    currency: addressText.describe('Address of the currency; the zero address is the native one.'),
    symbol: z.string().nullable().describe('Symbol of the currency: untrusted text. `null`: unknown.'),
    decimals: count.nullable().describe('Decimal places of the currency. `null`: unknown.'),
    accrued: integerText
      .nullable()
      .describe('Earned so far, in the currency’s smallest unit. `null`: these are fees of an LP position, not read yet.'),
    claimed: integerText.describe('Paid out so far, in the currency’s smallest unit.'),
    amount: integerText.nullable().describe('Claimable now, in the currency’s smallest unit. `null` where `accrued` is `null`.'),
    amountUsd: decimalText
      .nullable()
      .describe('`amount` in USD. `null`: unknown, or the currency is neither ETH nor WETH nor pegged to USD.'),
    scope: z.enum(CLAIM_SCOPES).describe('`token`: owed for this token alone; `creator`: in one escrow for all tokens of the creator.'),
    claim: claimCall.nullable(),
  })
  .meta({ id: 'ClaimableAmount', description: 'What a creator has earned, claimed and can claim now in one currency.' })

const claimableSchema = z
  .object({
    token: addressText.describe('Address of the token.'),
    creator: addressText.describe('The account that may claim.'),
    asOfBlock: integerText.describe(
      'Number of the block as of which the amounts are. For fees of an LP position: the block at which they were last read.',
    ),
    claimable: z.array(claimableAmountSchema).describe('One entry per currency.'),
  })
  .meta({ id: 'Claimable', description: 'What a creator can claim of a token’s fees, from accruals and claims on chain.' })

/** What a creator has earned, claimed and can claim now in one currency. Amounts are raw integers. */
export type ClaimableAmount = Wire<typeof claimableAmountSchema>
export type Claimable = Wire<typeof claimableSchema>

/** Fills in `amountUsd` of an amount that is ETH, WETH or pegged, by address: any token may be named "ETH". */
function amountWithUsd<Amount extends ClaimableAmount>(
  entry: Amount,
  { ethUsd, currencies: { weth, pegUsd = [] } }: PresentPrices,
): Amount {
  const { amount, currency } = entry
  if (amount === null) return entry
  if (isEther(currency, weth)) return { ...entry, amountUsd: toUsd(formatUnits(BigInt(amount), 18), ethUsd) }
  const peg = pegUsd.find(({ token }) => token === currency)
  return peg === undefined ? entry : { ...entry, amountUsd: formatUnits(BigInt(amount), peg.decimals) }
}

export const claimable = defineResource({
  id: 'getClaimable',
  tag: 'Tokens',
  path: '/api/tokens/:address/claimable',
  summary: 'What a creator can claim of a token’s fees, and the calls that pay it out',
  parameters: z.object({ address: tokenParameter, creator: addressParameter.describe('The account whose claims are listed.') }),
  answer: claimableSchema,
  outdatedBy: 'commit',
  valued: (answer, prices) => ({ ...answer, claimable: answer.claimable.map(entry => amountWithUsd(entry, prices)) }),
})

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
  valued: amountWithUsd,
})

export type ClaimsQuery = QueryOf<typeof claims>
export type ClaimCursor = Wire<typeof cursor>
