import { defineEntity } from '@mikro-orm/core'
import { column } from './columns.ts'

/** How far each webhook has been sent, and how its receiver takes it. Not chain state: a rewind leaves it alone. */
export const WebhookPositionEntity = defineEntity({
  name: 'WebhookPosition',
  tableName: 'webhook_position',
  properties: {
    name: column.text().primary(),
    /** The last event that the receiver has taken, or that needs no message. */
    blockNumber: column.blockNumber(),
    logIndex: column.logIndex(),
    /** The number of reorgs that the receiver knows of. */
    reorgs: column.bigint(),
    /** Rises when the position gets another owner, which alone can write then: with each start of sending, and with a replay. */
    version: column.bigint(),
    /** A paused one is not sent. */
    isPaused: column.boolean(),
    /** In a row, of the next message. */
    failures: column.integer(),
    failingSinceMs: column.milliseconds().strictNullable(),
    nextAttemptAtMs: column.milliseconds().strictNullable(),
    lastError: column.text().strictNullable(),
  },
})
