import { defineEntity } from '@mikro-orm/core'
import { column } from './columns.ts'
import { type RowOf, tableOf } from './tableOf.ts'

const properties = {
  address: column.address().primary(),
  /** As the contract returned it; `null`: not read yet, or no symbol that can be used. Untrusted text. */
  symbol: column.text().strictNullable(),
  decimals: column.smallint().strictNullable(),
  isRead: column.boolean(),
  /** When to read it again; `null`: it is not read yet, or is an indexed token, whose names follow its events. */
  readAgainAtMs: column.milliseconds().strictNullable(),
}

/**
 * A currency that tokens are quoted in, as its contract names it. What contracts have answered survives reorgs. The names of a currency
 * that is an indexed token are those of the token (`reads/joinQuote.ts`).
 */
export const CurrencyEntity = defineEntity({
  name: 'Currency',
  tableName: 'currency',
  properties,
  indexes: [
    { name: 'currency_unread', properties: ['address'], where: 'not is_read' },
    { name: 'currency_by_read_again', properties: ['readAgainAtMs'], where: 'read_again_at_ms is not null' },
  ],
})

export interface CurrencyRow extends RowOf<typeof properties> {}
export const CURRENCY = tableOf(CurrencyEntity, properties)
