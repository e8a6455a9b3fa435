import { defineEntity } from '@mikro-orm/core'
import { column } from './columns.ts'

/** A token whose launch a reorg has undone, with its last sequence. If it is launched again, it gets a higher one. */
export const DroppedTokenEntity = defineEntity({
  name: 'DroppedToken',
  tableName: 'dropped_token',
  properties: { address: column.address().primary(), sequence: column.bigint(), droppedAtMs: column.milliseconds() },
})
