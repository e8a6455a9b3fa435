import { defineEntity } from '@mikro-orm/core'
import { column } from './columns.ts'

/** How far each webhook has been sent, and how its receiver responds. A rewind leaves it alone. */
export const WebhookPositionEntity = defineEntity({
  name: 'WebhookPosition',
  tableName: 'webhook_position',
  properties: {
    name: column.text().primary(),
    /** The place of the last event that the receiver has taken, or that needs no message. */
    blockNumber: column.blockNumber(),
    logIndex: column.logIndex(),
    /** The number of reorgs that the receiver knows of. */
    reorgs: column.bigint(),
    /** Rises when a process begins to send and with each replay. Only the owner of the newest version can write. */
    version: column.bigint(),
    /** Whether nothing is sent until an operator resumes the webhook. */
    isPaused: column.boolean(),
    /** How many attempts in a row to send the next message have failed. */
    failures: column.integer(),
    /** When the first of them began. Moved by the time in which nobody tried. */
    failingSinceMs: column.milliseconds().strictNullable(),
    nextAttemptAtMs: column.milliseconds().strictNullable(),
    lastError: column.text().strictNullable(),
  },
})
