import { maxConnections } from '#benchmarks/support/openFiles.ts'
import { type ArmKind, SOCKET_IO, TOKENWIRE, TOKENWIRE_AGAIN, TOKENWIRE_SSE, UWS_SEND, WS } from '../arms.ts'
import type { Scenario } from '../scenario.ts'
import { expectConflation, Session } from '../session.ts'

const KILOBYTE = 1_024

const IDLE_ARMS = [TOKENWIRE, TOKENWIRE_AGAIN, TOKENWIRE_SSE, UWS_SEND, WS, SOCKET_IO]

interface IdleSettings {
  readonly connections: number
  readonly arms?: readonly ArmKind[]
}

/** The same with the number of connections that this machine allows a process. */
export function maxIdleConnections(): Scenario {
  return { ...idleConnections({ connections: maxConnections(), arms: [TOKENWIRE, UWS_SEND] }), maxRounds: 1 }
}

/** The memory of an idle connection. */
export function idleConnections({ connections, arms = IDLE_ARMS }: IdleSettings): Scenario {
  return {
    name: `memory of ${connections} idle connections`,
    about: `${connections} connections that subscribe to the same token; the memory of the second half of them, after a garbage collection`,
    arms,
    base: UWS_SEND,
    maxRounds: 2,
    figures: [
      { name: 'memory per connection', unit: 'KB', better: 'less' },
      { name: 'JavaScript heap per connection', unit: 'KB', better: 'less' },
    ],
    goals: [{ figure: 'memory per connection', of: TOKENWIRE.name, to: UWS_SEND.name, ratio: 1.5 }],
    async measure(arm) {
      const session = await Session.start(arm)
      try {
        // The first connections make the process allocate code, tables and a young generation, which are not theirs.
        const half = Math.ceil(connections / 2)
        await session.open({ connections: half, subscriptions: () => [0] })
        const before = await session.usage({ collect: true })
        await session.open({ connections: half, subscriptions: () => [0] })
        const after = await session.usage({ collect: true })
        return {
          'memory per connection': (after.rssBytes - before.rssBytes) / half / KILOBYTE,
          'JavaScript heap per connection': (after.heapBytes - before.heapBytes) / half / KILOBYTE,
        }
      } finally {
        await session.stop()
      }
    },
  }
}

/** The memory of clients that stopped reading, without the kernel's buffers. */
export function stalledReaders({ connections, blocks }: { readonly connections: number; readonly blocks: number }): Scenario {
  const one = { touched: 1, tokens: 1, size: 'large' } as const
  return {
    name: `memory of ${connections} stalled readers`,
    about: `${connections} connections that read nothing during ${blocks} updates of 16 KB`,
    arms: [TOKENWIRE, TOKENWIRE_AGAIN, UWS_SEND, WS],
    base: UWS_SEND,
    maxRounds: 2,
    figures: [{ name: 'server memory per reader', unit: 'KB', better: 'less' }],
    // The goal is 50 MB for a thousand.
    goals: [{ figure: 'server memory per reader', of: TOKENWIRE.name, to: null, ratio: 50 }],
    async measure(arm) {
      const session = await Session.start(arm)
      try {
        await session.open({ connections, subscriptions: () => [0], receiveBufferBytes: 16_384 })
        await session.deliver({ ...one, blocks: 20 })
        const before = await session.usage({ collect: true })
        await session.load.pace(0, connections, 0)
        await session.feed({ ...one, blocks }, 20, { mayConflate: true })
        const after = await session.usage({ collect: true })
        expectConflation(after)
        return { 'server memory per reader': (after.rssBytes - before.rssBytes) / connections / KILOBYTE }
      } finally {
        await session.stop()
      }
    },
  }
}
