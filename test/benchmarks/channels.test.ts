import { describe, expect, it } from 'vitest'
import type { ChannelServerKind } from '#benchmarks/macro/fanOut/channels/channelServer.ts'
import { ChannelSession } from '#benchmarks/macro/fanOut/channels/channelSession.ts'
import { clientPlan } from '#benchmarks/macro/fanOut/channels/clientPlans.ts'
import { deliveries, PARTS } from '#benchmarks/macro/fanOut/channels/mixedFeed.ts'
import { measureStalledReaders } from '#benchmarks/macro/fanOut/channels/stalledReaders.ts'
import { isInstalled } from '#benchmarks/servers/childServer.ts'

const CLIENTS = 300
const BLOCKS = 2

const STALLED = 50
/** What waits in one subscription: 64 KB and one message. Readers share most of it, so a bounded buffer stays far below. */
const MAX_HEAP_BYTES = 65_536 + 16_384
/** They leave 8 MB each unread, of which the kernel takes 4: copies of the rest would be past this. */
const MAX_RESIDENT_BYTES = 1_048_576

const canRun = isInstalled('cc') && process.platform === 'linux'

describe.skipIf(!canRun)('the benchmark of stalled readers', () => {
  it('shows that a reader costs a bounded buffer however much it leaves unread, and has all of it afterwards', async () => {
    const { perReader, open } = await measureStalledReaders({ blocks: 50, quick: 3, stalled: STALLED, fillingBlocks: 200 })
    expect(perReader).toHaveLength(2)
    for (const { heap, resident } of perReader) {
      expect(heap).toBeLessThan(MAX_HEAP_BYTES)
      expect(resident).toBeLessThan(MAX_RESIDENT_BYTES)
    }
    expect(open).toBe(STALLED)
  })
})

describe.skipIf(!canRun)('the benchmark of mixed channels', () => {
  it.each<ChannelServerKind>(['tokenwire', 'uws-publish'])('has %s send each message of a block once, to whom it is for', async kind => {
    const session = await ChannelSession.start(kind)
    try {
      await session.open(Array.from({ length: CLIENTS }, (_, client) => clientPlan(kind, session.port, client, PARTS)))
      const due = (block: number) => {
        const of = deliveries(block, CLIENTS)
        for (const part of PARTS) expect(of[part]).toBeGreaterThan(0)
        return PARTS.reduce((sum, part) => sum + of[part], 0)
      }
      const { messages } = await session.deliver(BLOCKS, due)
      expect(messages).toBe(due(1) + due(2))
      // Any message too many of the last block has come by now.
      await session.load.idle(300)
      expect((await session.load.receipts()).count).toBe(due(2))
    } finally {
      await session.stop()
    }
  })
})
