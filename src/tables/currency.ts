import { defineEntity } from '@mikro-orm/core'
import { column } from './columns.ts'
import { type RowOf, tableOf } from './tableOf.ts'

const properties = {
  address: column.address().primary(),
  /** As the contract returned it; `null`: not read yet, or no symbol that can be used. Untrusted text. */
  symbol: column.text().strictNullable(),
  decimals: column.smallint().strictNullable(),
  isRead: column.boolean(),
}

/** A currency that tokens are quoted in. What is known of contracts survives reorgs. */
export const CurrencyEntity = defineEntity({
  name: 'Currency',
  tableName: 'currency',
  properties,
  indexes: [{ name: 'currency_unread', properties: ['address'], where: 'not is_read' }],
})

export interface CurrencyRow extends RowOf<typeof properties> {}
export const CURRENCY = tableOf(CurrencyEntity, properties)
