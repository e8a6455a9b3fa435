import { defineEntity } from '@mikro-orm/core'
import { column } from './columns.ts'
import { type RowOf, tableOf } from './tableOf.ts'

const properties = {
  holder: column.address().primary(),
  contract: column.boolean(),
}

/** Whether one of a token's largest holders is a contract, as the chain answered. */
export const HolderCodeEntity = defineEntity({ name: 'HolderCode', tableName: 'holder_code', properties })

export interface HolderCodeRow extends RowOf<typeof properties> {}
export const HOLDER_CODE = tableOf(HolderCodeEntity, properties)
