import { expect, it } from 'vitest'
import { UNKNOWN_INDEXER } from '#resources/health.ts'
import type { ThreadView } from '#worker/messages.ts'
import { createThreadStatus } from '#worker/startIndexing.ts'

const view = (indexedBlock: number): ThreadView => ({
  state: {
    ...UNKNOWN_INDEXER,
    headBlock: 20,
    confirmedBlock: 17,
    indexedBlock,
    lagBlocks: 17 - indexedBlock,
    lagSeconds: 2,
    headUnchangedSeconds: 1,
    backfill: null,
    reorgs: { count: 0, lastDepth: null, lastAt: null },
    rpc: [],
    stalled: false,
    reason: null,
  },
  chain: { headBlock: 20, blockTimeMs: 2_000, baseFeeGwei: '1' },
  metadata: { queued: 3, underWay: 1, outcomes: { read: 2 } },
  skippedLogs: [],
  eventLoop: { stallsTotal: 0, longestStallMs: 0, delayP99Ms: 0 },
})

it('shows what the thread said last', () => {
  const status = createThreadStatus(view(15), () => 0)
  expect(status.state().indexedBlock).toBe(15)
  status.update({ ...view(16), metadata: { queued: 2, underWay: 0, outcomes: {} } })
  expect(status.state()).toEqual(view(16).state)
  expect(status.chain()).toEqual(view(16).chain)
  expect(status.metadata()).toEqual({ queued: 2, underWay: 0, outcomes: {} })
  expect(status.eventLoop()).toEqual(view(16).eventLoop)
})

it('is stalled and knows no lag while the thread has not spoken for some seconds', () => {
  let nowMs = 1_000
  const status = createThreadStatus(view(15), () => nowMs)
  nowMs += 5_000
  expect(status.state().stalled).toBe(false)
  nowMs += 1_500
  expect(status.state()).toMatchObject({
    indexedBlock: 15,
    lagBlocks: null,
    lagSeconds: null,
    stalled: true,
    reason: 'the indexing thread has not answered for 6 s',
  })
  status.update(view(16))
  expect(status.state()).toEqual(view(16).state)
})
