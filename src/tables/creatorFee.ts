import { defineEntity } from '@mikro-orm/core'
import { column, ofBlocks, type RowOf, tableOf } from './columns.ts'

const properties = {
  launchpad: column.text().primary(),
  creator: column.address().primary(),
  currency: column.address().primary(),
  scope: column.oneOf('scope', ['token', 'creator']),
  /** The zero address when the scope is `creator`. */
  token: column.address().primary(),
  /** `null`: the fees accrue in an LP position until they are collected, and events report only what was claimed. */
  accrued: column.units().strictNullable(),
  claimed: column.units(),
  /** An argument of the claiming call: the number of a Uniswap v3 position; `null`: the call has no such argument. */
  claimId: column.units().strictNullable(),
  lastChangedBlock: column.blockNumber(),
}

/** The fees that a creator has earned and claimed in one currency, from one token or from all of its tokens on one launchpad. */
export const CreatorFeeEntity = ofBlocks(
  { undone: 'image', leavesBy: 'launchpad', joins: 'all' },
  defineEntity({
    name: 'CreatorFee',
    tableName: 'creator_fee',
    properties,
    indexes: [{ name: 'creator_fee_by_creator', properties: ['creator', 'token', 'launchpad', 'currency'] }],
  }),
)

export interface CreatorFeeRow extends RowOf<typeof properties> {}
export const CREATOR_FEE = tableOf(CreatorFeeEntity, properties)
