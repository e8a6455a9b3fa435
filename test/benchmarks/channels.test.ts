import { describe, expect, it } from 'vitest'
import type { ChannelServerKind } from '#benchmarks/macro/fanOut/channels/channelServer.ts'
import { ChannelSession } from '#benchmarks/macro/fanOut/channels/channelSession.ts'
import { clientPlan } from '#benchmarks/macro/fanOut/channels/clientPlans.ts'
import { deliveries, PARTS } from '#benchmarks/macro/fanOut/channels/mixedFeed.ts'
import { isInstalled } from '#benchmarks/servers/childServer.ts'

const CLIENTS = 300
const BLOCKS = 2

const hasCompiler = isInstalled('cc')

describe.skipIf(!hasCompiler || process.platform !== 'linux')('the benchmark of mixed channels', () => {
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
