import { expect, test } from 'vitest'
import { type IndexerState, UNKNOWN_INDEXER } from '#resources/health.ts'
import { createRedactor } from '#telemetry/redactor.ts'
import { redactDetails } from '#worker/blockSender.ts'

const STATE: IndexerState = {
  ...UNKNOWN_INDEXER,
  headBlock: 20,
  confirmedBlock: 17,
  indexedBlock: 16,
  lagBlocks: 1,
  lagSeconds: 2,
  backfill: null,
  reorgs: { count: 0, lastDepth: null, lastAt: null },
  rpc: [],
  stalled: true,
  reason: 'a step of indexing failed; the log has the error',
}

test('hides secrets in the details, and then cuts them', () => {
  const redactor = createRedactor(['opensesame'])
  const details = ['connection to db failed: opensesame', `${'x'.repeat(495)}opensesame${'y'.repeat(1_000)}`]
  const redacted = redactDetails({ ...STATE, details }, redactor)
  expect(redacted).toEqual({ ...STATE, details: ['connection to db failed: [redacted]', `${'x'.repeat(495)}[reda`] })
  expect(redactDetails(STATE, redactor)).toEqual({ ...STATE, details: [] })
})
