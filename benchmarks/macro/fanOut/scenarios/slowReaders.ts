import { feedPosition } from '#benchmarks/servers/feed.ts'
import { quantile } from '#benchmarks/support/quantile.ts'
import { TOKENWIRE, TOKENWIRE_AGAIN, TOKENWIRE_SSE, UWS_SEND, WS } from '../arms.ts'
import type { Scenario } from '../scenario.ts'
import { expectConflation, type Received, Session } from '../session.ts'

interface SlowReadersSettings {
  readonly connections: number
  readonly blocks: number
}

const EVERY_MS = 50
/** Fills the kernel's buffer of up to 4 MB per reader, before which the server notices nothing. */
const FILLING = { blocks: 300, everyMs: 25 }
const SLOW_BYTES_PER_SECOND = 10_000
/** Small, so that unread data waits in the server and not in the kernel. */
const RECEIVE_BUFFER_BYTES = 16_384
const ONE_LARGE = { touched: 1, tokens: 1, size: 'large' } as const
const MEGABYTE = 2 ** 20

/** One hot token with large updates: a tenth of its readers stop reading, another tenth are slow. */
export function slowReaders({ connections, blocks }: SlowReadersSettings): Scenario {
  const tenth = Math.floor(connections / 10)
  return {
    name: `slow readers: ${tenth} read nothing and ${tenth} read 10 KB/s, of ${connections}`,
    about: `${connections} connections watch one token with updates of 16 KB at 20/s: ${blocks} updates while all read, and ${blocks} while a fifth of them read slowly or not at all`,
    arms: [TOKENWIRE, TOKENWIRE_AGAIN, TOKENWIRE_SSE, UWS_SEND, WS],
    base: UWS_SEND,
    maxRounds: 2,
    figures: [
      { name: "healthy clients' p99", unit: 'ms', better: 'less' },
      { name: 'p99 with ÷ without', unit: '', better: 'less' },
      { name: 'server memory grown', unit: 'MB', better: 'less' },
      { name: 'slow ones without the newest', unit: '', better: 'less' },
    ],
    goals: [
      { figure: 'p99 with ÷ without', of: TOKENWIRE.name, to: null, ratio: 1.2 },
      { figure: 'slow ones without the newest', of: TOKENWIRE.name, to: null, ratio: 0 },
    ],
    async measure(arm) {
      const session = await Session.start(arm)
      try {
        await session.open({ connections, subscriptions: () => [0], receiveBufferBytes: RECEIVE_BUFFER_BYTES })
        await session.deliver({ ...ONE_LARGE, blocks: 20 })
        const without = healthyP99(await session.feed({ ...ONE_LARGE, blocks }, EVERY_MS), 2 * tenth)
        const before = await session.usage({ collect: true })
        await session.load.pace(0, tenth, 0)
        await session.load.pace(tenth, tenth, SLOW_BYTES_PER_SECOND)
        await session.feed({ ...ONE_LARGE, blocks: FILLING.blocks }, FILLING.everyMs, { mayConflate: true })
        const stuck = await session.feed({ ...ONE_LARGE, blocks }, EVERY_MS, { mayConflate: true })
        const after = await session.usage({ collect: true })
        expectConflation(after)
        const withSlow = healthyP99(stuck, 2 * tenth)
        return {
          "healthy clients' p99": withSlow,
          'p99 with ÷ without': withSlow / without,
          'server memory grown': (after.rssBytes - before.rssBytes) / MEGABYTE,
          'slow ones without the newest': await withoutNewest(session, 2 * tenth),
        }
      } finally {
        await session.stop()
      }
    },
  }
}

/** Connections from `first` on read normally. */
function healthyP99({ receipts, latenciesMs }: Received, first: number): number {
  return quantile(latenciesMs.filter((latency, index) => receipts.connection(index) >= first && !Number.isNaN(latency)).toSorted(), 0.99)
}

/** Lets the slow readers read again, and counts those that do not get the last update. */
async function withoutNewest(session: Session, slow: number): Promise<number> {
  await session.load.pace(0, slow, null)
  await session.load.idle(2_000)
  const receipts = await session.load.receipts()
  const newest = new Map<number, number>()
  let last = 0
  for (let index = 0; index < receipts.count; index++) {
    const { block } = feedPosition(receipts.sequence(index))
    last = Math.max(last, block)
    newest.set(receipts.connection(index), Math.max(block, newest.get(receipts.connection(index)) ?? 0))
  }
  if (last === 0) throw new Error('no client has the last update')
  return Array.from({ length: slow }, (_, connection) => newest.get(connection) ?? 0).filter(block => block < last).length
}
