import { defineEntity, p } from '@mikro-orm/core'
import { address } from './columns.ts'

/** Whether an address that holds much of a token is a contract, as the chain was asked. */
export const HolderCodeEntity = defineEntity({
  name: 'HolderCode',
  tableName: 'holder_code',
  properties: {
    holder: address().primary(),
    contract: p.boolean(),
  },
})
