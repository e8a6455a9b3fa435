import { defineEntity } from '@mikro-orm/core'
import { column, ofBlocks, tableOf } from './columns.ts'

const properties = {
  token: column.address().primary(),
  tokenAmount: column.units().strictNullable(),
  quoteAmount: column.units().strictNullable(),
  blockNumber: column.blockNumber(),
}

/** The creator's share of a locked position's uncollected fees at a block. `null` amounts: the providers refused the call. */
export const LpFeeEntity = ofBlocks(
  { undone: 'block_number', leavesBy: 'token' },
  defineEntity({ name: 'LpFee', tableName: 'uncollected_fee', properties }),
)

export const LP_FEE = tableOf(LpFeeEntity, properties)
