import { defineEntity, p } from '@mikro-orm/core'
import { hex, safeInteger } from './columns.ts'

/** One of the newest indexed blocks. */
export const BlockEntity = defineEntity({
  name: 'Block',
  tableName: 'block',
  properties: {
    number: safeInteger().primary().autoincrement(false),
    hash: hex(),
    parentHash: hex(),
    timestamp: safeInteger(),
    joined: p.boolean().default(false),
  },
})
