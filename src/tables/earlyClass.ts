import { defineEntity } from '@mikro-orm/core'
import { EARLY_CLASSES } from '#domain/holder.ts'
import { column, ofBlocks, type RowOf, sum, tableOf } from './columns.ts'

const properties = {
  token: column.address().primary(),
  class: column.oneOf('class', EARLY_CLASSES).primary(),
  wallets: column.integer(sum),
  boughtToken: column.units(sum),
  soldToken: column.units(sum),
}

/**
 * The number of accounts of a class, and the amounts that they have bought and sold together. The amount that they hold is in the token's
 * row, since lists filter by it. A written row is added to the stored one.
 */
export const EarlyClassEntity = ofBlocks(
  { undone: 'image', leavesBy: 'token', joins: 'all' },
  defineEntity({ name: 'EarlyClass', tableName: 'early_class', properties }),
)

export interface EarlyClassRow extends RowOf<typeof properties> {}
export const EARLY_CLASS = tableOf(EarlyClassEntity, properties)
