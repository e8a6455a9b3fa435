import { defineEntity } from '@mikro-orm/core'
import { column, type RowOf, tableOf } from './columns.ts'

const properties = {
  address: column.address().primary(),
  /** The symbol that the contract returned, which is untrusted text; `null`: not read yet, or not usable. */
  symbol: column.text().strictNullable(),
  decimals: column.smallint().strictNullable(),
  isRead: column.boolean(),
  /** When to read the contract again; `null`: it is not read yet, or is an indexed token, whose symbol follows its events. */
  readAgainAtMs: column.milliseconds().strictNullable(),
}

/**
 * A currency that tokens are quoted in, with the symbol and decimals that its contract returned. These survive reorgs. A currency that is
 * an indexed token has those of the token (`reads/joinQuote.ts`).
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
