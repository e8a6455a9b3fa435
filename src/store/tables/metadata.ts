import { defineEntity, p } from '@mikro-orm/core'
import { hex, oneOf, safeInteger } from './columns.ts'

const LANE = `(case when uri ~* '^\\s*https?:' then 'web' when uri ~* '^\\s*(data:|[{])' then 'local' else 'gateway' end)`

/** A metadata URI, what it led to, and when to try it again. */
export const MetadataEntity = defineEntity({
  name: 'Metadata',
  tableName: 'metadata',
  properties: {
    key: hex().primary(),
    uri: p.text(),
    lane: p.text().generated(`${LANE} stored`),
    state: oneOf('state', ['pending', 'read', 'announced', 'refused']),
    attempts: p.integer(),
    nextAttemptAtMs: safeInteger().nullable(),
    attemptedAtMs: safeInteger().nullable(),
    outcome: p.text().nullable(),
    imageUrl: p.text().nullable(),
    description: p.text().nullable(),
    links: p.json().nullable(),
  },
  indexes: [
    { name: 'metadata_due', properties: ['lane', 'attempts', 'nextAttemptAtMs'], where: 'next_attempt_at_ms is not null' },
    { name: 'metadata_unannounced', properties: ['key'], where: `state = 'read'` },
  ],
})
