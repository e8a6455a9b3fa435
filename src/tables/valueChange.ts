import { defineEntity } from '@mikro-orm/core'
import { column, ofBlocks, type RowOf, tableOf } from './columns.ts'

const properties = {
  blockNumber: column.blockNumber().primary(),
  /** The place among the block's changes, counted from 0. */
  logIndex: column.logIndex().primary(),
  token: column.address(),
  timestamp: column.seconds(),
  priceWethBefore: column.decimal().strictNullable(),
  priceWeth: column.decimal().strictNullable(),
  /** The price at the market's last event, which a later change of the price of ETH does not move. */
  priceUsdBefore: column.decimal().strictNullable(),
  priceUsd: column.decimal().strictNullable(),
  marketCapWethBefore: column.decimal().strictNullable(),
  marketCapWeth: column.decimal().strictNullable(),
  marketCapUsdBefore: column.decimal().strictNullable(),
  marketCapUsd: column.decimal().strictNullable(),
  graduationPercentBefore: column.decimal().strictNullable(),
  graduationPercent: column.decimal().strictNullable(),
  holdersBefore: column.integer().strictNullable(),
  holders: column.integer(),
}

/** The values of a token before and after a block that changed one of them. They are kept for some days, for the channel `crossings`. */
export const ValueChangeEntity = ofBlocks(
  { undone: 'block_number', leavesBy: 'token' },
  defineEntity({ name: 'ValueChange', tableName: 'value_change', properties }),
)

export interface ValueChangeRow extends RowOf<typeof properties> {}
export const VALUE_CHANGE = tableOf(ValueChangeEntity, properties)
