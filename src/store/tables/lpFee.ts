import { defineEntity } from '@mikro-orm/core'
import { address, numeric, safeInteger } from './columns.ts'

/** The creator's share that lay in a token's locked position when it was last asked for. */
export const UncollectedFeeEntity = defineEntity({
  name: 'UncollectedFee',
  tableName: 'uncollected_fee',
  properties: {
    token: address().primary(),
    tokenAmount: numeric().nullable(),
    quoteAmount: numeric().nullable(),
    blockNumber: safeInteger(),
  },
})
