import { defineEntity } from '@mikro-orm/core'
import { HOLDER_TYPES } from '#domain/holder.ts'
import { column, type Merge } from './columns.ts'
import { type RowOf, tableOf } from './tableOf.ts'

/** Events can't tell a contract from a wallet; the chain was asked (rows/holderCodes.ts), and its answer stays. */
const keepContract: Merge = (stored, inserted) =>
  `case when ${inserted} = 'wallet' and ${stored} = 'contract' then 'contract' else ${inserted} end`

const properties = {
  token: column.address().primary(),
  holder: column.address().primary(),
  /** The sum of the Transfer events: negative for a token whose balances change without events. */
  balance: column.units(),
  type: column.oneOf('type', HOLDER_TYPES, keepContract),
  lastChangedBlock: column.blockNumber(),
}

export const BalanceEntity = defineEntity({
  name: 'Balance',
  tableName: 'balance',
  properties,
  indexes: [
    { name: 'balance_by_size', expression: 'create index balance_by_size on balance (token, (- balance), holder) where balance > 0' },
  ],
})

export interface BalanceRow extends RowOf<typeof properties> {}
export const BALANCE = tableOf(BalanceEntity, properties)

const codeProperties = {
  holder: column.address().primary(),
  contract: column.boolean(),
}

/** Whether one of a token's largest holders is a contract, as the chain answered. */
export const HolderCodeEntity = defineEntity({ name: 'HolderCode', tableName: 'holder_code', properties: codeProperties })

export interface HolderCodeRow extends RowOf<typeof codeProperties> {}
export const HOLDER_CODE = tableOf(HolderCodeEntity, codeProperties)
