import { defineEntity, p } from '@mikro-orm/core'
import { address, numeric, oneOf, safeInteger } from './columns.ts'

/** What a creator has earned and taken in one currency, of one token or of all of one launchpad. */
export const CreatorFeeEntity = defineEntity({
  name: 'CreatorFee',
  tableName: 'creator_fee',
  properties: {
    launchpad: p.text().primary(),
    creator: address().primary(),
    currency: address().primary(),
    scope: oneOf('scope', ['token', 'creator']),
    token: address().primary(),
    accrued: numeric().nullable(),
    claimed: numeric(),
    claimId: numeric().nullable(),
    lastChangedBlock: safeInteger(),
  },
  indexes: [{ name: 'creator_fee_by_creator', properties: ['creator', 'token'] }],
})
