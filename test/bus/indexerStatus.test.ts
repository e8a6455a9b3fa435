import { expect, test } from 'vitest'
import { createIndexerStatus, parseIndexerReport } from '#bus/indexerReport.ts'
import { indexerReport } from '#test/support/indexerReport.ts'

const REPORT = indexerReport('0c2ab4a6-94ec-4f0d-9f0f-6d3c0a4d2f10')

/* Reports come by notifications. When these failed, every gateway said that nothing was indexed, and load balancers took it out. */
test('an indexer that commits but can not report is not stalled', () => {
  let nowMs = 0
  const status = createIndexerStatus(() => nowMs)
  status.update(REPORT)
  status.committed(7)
  nowMs = 31_000
  expect(status.state()).toMatchObject({ stalled: true, reason: 'the indexer has not answered for 31 s' })
  status.committed(8)
  expect(status.state()).toMatchObject({
    stalled: false,
    indexedBlock: 8,
    lagBlocks: null,
    reason: expect.stringContaining('notifications'),
  })
  nowMs = 92_000
  status.committed(8)
  expect(status.state()).toMatchObject({ stalled: true })
  status.update(REPORT)
  expect(status.state()).toEqual(REPORT.state)
})

/* A paused webhook was named by the indexer's own health alone: gateways, which operators look at, said that all was well. */
test('what is wrong besides is known to gateways, and an earlier version tells none of it', () => {
  const paused = 'the webhook big-caps is paused: it answers 503'
  const status = createIndexerStatus(() => 0)
  const { problems: _, ...earlier } = REPORT.state
  for (const [told, known] of [
    [{ ...REPORT.state, problems: [paused] }, [paused]],
    [earlier, []],
  ] as const) {
    status.update(parseIndexerReport(JSON.stringify({ ...REPORT, state: told })))
    expect(status.state().problems).toEqual(known)
  }
})

test('the block that a gateway finds at its first look is no sign of life', () => {
  let nowMs = 0
  const status = createIndexerStatus(() => nowMs)
  status.committed(7)
  nowMs = 31_000
  expect(status.state().stalled).toBe(true)
})
