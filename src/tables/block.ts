import { defineEntity } from '@mikro-orm/core'
import { column } from './columns.ts'
import { tableOf } from './tableOf.ts'

const properties = {
  number: column.blockNumber().primary().autoincrement(false),
  hash: column.hex(),
  parentHash: column.hex(),
  timestamp: column.seconds(),
  /** Committed together with the block after it: the rows between the two can't be restored. */
  joined: column.boolean().default(false),
}

/** One of the newest indexed blocks. */
export const BlockEntity = defineEntity({ name: 'Block', tableName: 'block', properties })

export const BLOCK = tableOf(BlockEntity, properties)
