import { defineEntity } from '@mikro-orm/core'
import { address, safeInteger } from './columns.ts'

/** A token that existed on a dropped branch of the chain only, with its last sequence. */
export const DroppedTokenEntity = defineEntity({
  name: 'DroppedToken',
  tableName: 'dropped_token',
  properties: {
    address: address().primary(),
    sequence: safeInteger(),
    droppedAtMs: safeInteger(),
  },
})
