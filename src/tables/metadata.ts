import { defineEntity, p } from '@mikro-orm/core'
import { column, ofBlocks } from './columns.ts'

const LANE = `(case when uri ~* '^\\s*https?:' then 'web' when uri ~* '^\\s*(data:|[{])' then 'local' else 'gateway' end)`

/** A metadata URI, the document behind it, and when to try to read it again. */
export const MetadataEntity = defineEntity({
  name: 'Metadata',
  tableName: 'metadata',
  properties: {
    key: column.hex().primary(),
    uri: column.text(),
    lane: column.text().generated(`${LANE} stored`),
    state: column.oneOf('state', ['pending', 'read', 'announced', 'refused']),
    attempts: column.integer(),
    nextAttemptAtMs: column.milliseconds().strictNullable(),
    attemptedAtMs: column.milliseconds().strictNullable(),
    outcome: column.text().strictNullable(),
    imageUrl: column.text().strictNullable(),
    description: column.text().strictNullable(),
    links: p.json().strictNullable(),
  },
  indexes: [
    { name: 'metadata_due', properties: ['lane', 'attempts', 'nextAttemptAtMs'], where: 'next_attempt_at_ms is not null' },
    { name: 'metadata_unannounced', properties: ['key'], where: `state = 'read'` },
  ],
})

/** A token that has no copy of a document behind its URIs yet. */
export const MetadataWaitingEntity = ofBlocks(
  { leavesBy: 'token' },
  defineEntity({
    name: 'MetadataWaiting',
    tableName: 'metadata_waiting',
    properties: { key: column.hex().primary(), token: column.address().primary() },
  }),
)
