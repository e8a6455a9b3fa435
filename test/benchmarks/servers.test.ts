import { describe, expect, it } from 'vitest'
import { feedPosition } from '#benchmarks/servers/feed.ts'
import type { ServerKind } from '#benchmarks/servers/feedServer.ts'
import { Session } from '#benchmarks/servers/session.ts'
import { findProgram } from '#test/support/findProgram.ts'

/** The load is written in C. */
const canRun = process.platform === 'linux' && findProgram({ names: ['cc'], aptPackage: 'gcc' }) !== null

async function bytesAfter(session: Session, blocks: number): Promise<number> {
  await session.deliver({ touched: 1, tokens: 1, blocks, size: 'traded' })
  return (await session.load.count(0, 2)).bytes
}

describe.skipIf(!canRun)('a session of the benchmark of servers', () => {
  it.each<ServerKind>(['tokenwire', 'uws', 'uws, deltas', 'ws', 'socket.io'])(
    'delivers every update to every connection of %s',
    async kind => {
      const session = await Session.start(kind)
      try {
        await session.open({ connections: 3, subscriptions: () => [0, 1] })
        const { receipts, latenciesMs } = await session.deliver({ touched: 2, tokens: 2, blocks: 2, size: 'small' })
        const received = Array.from({ length: receipts.count }, (_, index) => {
          const { block, token } = feedPosition(receipts.sequence(index))
          return `${receipts.connection(index)}/${block}/${token}`
        })
        const sent = [0, 1, 2].flatMap(connection => [1, 2].flatMap(block => [0, 1].map(token => `${connection}/${block}/${token}`)))
        expect(received.toSorted()).toEqual(sent)
        expect(latenciesMs.every(latency => latency > 0)).toBe(true)
        await session.close(0, 1, { abrupt: true })
        const later = await session.feed({ touched: 2, tokens: 2, blocks: 2, size: 'small' }, 1)
        expect(later.receipts.count).toBeGreaterThan(0)
      } finally {
        await session.stop()
      }
    },
  )

  it('compares deltas with full updates and with a bare server that sends the same bytes', async () => {
    const bytesOf = async (kind: ServerKind, delta: boolean) => {
      const session = await Session.start(kind)
      try {
        await session.open({ connections: 2, subscriptions: () => [0], delta })
        // The first update is a full one.
        const begun = await bytesAfter(session, 1)
        return (await bytesAfter(session, 3)) - begun
      } finally {
        await session.stop()
      }
    }
    const deltas = await bytesOf('tokenwire', true)
    expect(await bytesOf('uws, deltas', false)).toBe(deltas)
    expect(await bytesOf('tokenwire', false)).toBeGreaterThan(deltas)
  })
})
