import type { UpdateSize } from '#benchmarks/servers/feed.ts'
import { quantile } from '#benchmarks/support/quantile.ts'
import {
  type ArmKind,
  NATS,
  NCHAN,
  SOCKET_IO,
  TOKENWIRE,
  TOKENWIRE_AGAIN,
  TOKENWIRE_SSE,
  TOKENWIRE_THREAD,
  TOKENWIRE_THREADS,
  TOKENWIRE_TLS,
  UWS_CORK,
  UWS_PUBLISH,
  UWS_SEND,
  UWS_SEND_COMPRESSED,
  UWS_SEND_TLS,
  WS,
} from '../arms.ts'
import type { Scenario } from '../scenario.ts'
import { Session } from '../session.ts'

/** All arms. */
const ALL_ARMS = [
  TOKENWIRE,
  TOKENWIRE_AGAIN,
  TOKENWIRE_THREAD,
  TOKENWIRE_THREADS,
  TOKENWIRE_SSE,
  UWS_SEND,
  UWS_PUBLISH,
  UWS_CORK,
  WS,
  SOCKET_IO,
  NATS,
  NCHAN,
]
const ALL_THROUGHPUT_ARMS = [...ALL_ARMS, TOKENWIRE_TLS, UWS_SEND_TLS, UWS_SEND_COMPRESSED]
const ALL_LATENCY_ARMS = [
  TOKENWIRE,
  TOKENWIRE_AGAIN,
  TOKENWIRE_THREAD,
  TOKENWIRE_THREADS,
  TOKENWIRE_SSE,
  UWS_SEND,
  UWS_PUBLISH,
  WS,
  SOCKET_IO,
  TOKENWIRE_TLS,
  UWS_SEND_TLS,
]

const ONE_TOKEN = { touched: 1, tokens: 1 } as const

interface HotTokenSettings {
  readonly connections: number
  readonly size: UpdateSize
  readonly blocks: number
  readonly arms?: readonly ArmKind[]
}

/** One token that all connections watch, updated as fast as possible. */
export function hotTokenThroughput({ connections, size, blocks, arms }: HotTokenSettings): Scenario {
  return {
    name: `one hot token, throughput, ${connections} subscribers, ${size}`,
    about: `${connections} connections watch one token; each of ${blocks} updates is committed when all but the previous one have arrived`,
    arms: arms ?? ALL_THROUGHPUT_ARMS,
    base: UWS_SEND,
    figures: [
      { name: 'deliveries', unit: '/s', better: 'more' },
      { name: 'server CPU per delivery', unit: 'µs', better: 'less' },
      { name: 'bytes per delivery', unit: 'bytes', better: 'less' },
      { name: 'load CPU', unit: '', better: 'less' },
    ],
    goals: [
      { figure: 'deliveries', of: TOKENWIRE.name, to: UWS_SEND.name, ratio: 0.95 },
      { figure: 'deliveries', of: TOKENWIRE.name, to: UWS_PUBLISH.name, ratio: 0.95 },
      { figure: 'deliveries', of: TOKENWIRE.name, to: WS.name, ratio: 1.5 },
      { figure: 'deliveries', of: TOKENWIRE.name, to: SOCKET_IO.name, ratio: 2 },
      { figure: 'deliveries', of: TOKENWIRE.name, to: NCHAN.name, ratio: 1 },
    ],
    async measure(arm) {
      const session = await Session.start(arm)
      try {
        await session.open({ connections, subscriptions: () => [0] })
        await session.deliver({ ...ONE_TOKEN, size, blocks: Math.ceil(blocks / 2) }, { window: 2 })
        const before = await session.load.count(0, connections)
        const { tookMs, serverCpuMs, loadCpuMs } = await session.deliver({ ...ONE_TOKEN, size, blocks }, { window: 2 })
        const after = await session.load.count(0, connections)
        const deliveries = connections * blocks
        return {
          deliveries: (deliveries / tookMs) * 1_000,
          'server CPU per delivery': (serverCpuMs / deliveries) * 1_000,
          'bytes per delivery': (after.bytes - before.bytes) / deliveries,
          'load CPU': loadCpuMs / tookMs,
        }
      } finally {
        await session.stop()
      }
    },
  }
}

/** Deliveries after which the code is compiled, as in a service that has run for some minutes. */
const WARM_UP_DELIVERIES = 10_000
const WARM_UP_BLOCKS = 40

const EVERY_MS = 50

/** One token that all connections watch, updated at a fixed rate. */
export function hotTokenLatency({ connections, size, blocks, arms }: HotTokenSettings): Scenario {
  const warmUpBlocks = Math.max(WARM_UP_BLOCKS, Math.ceil(WARM_UP_DELIVERIES / connections))
  return {
    name: `one hot token at 20/s, ${connections} subscribers, ${size}`,
    about: `${connections} connections watch one token with ${blocks} updates, 20 a second; from commit to receipt`,
    arms: arms ?? ALL_LATENCY_ARMS,
    base: UWS_SEND,
    figures: [
      { name: 'p99', unit: 'ms', better: 'less' },
      { name: 'p50', unit: 'ms', better: 'less' },
      { name: 'p99.9', unit: 'ms', better: 'less' },
      { name: 'server CPU per delivery', unit: 'µs', better: 'less' },
      { name: 'delivered', unit: '', better: 'more' },
    ],
    goals:
      connections === 1
        ? [{ figure: 'p99', of: TOKENWIRE.name, to: null, ratio: 1 }]
        : [{ figure: 'p99', of: TOKENWIRE.name, to: UWS_SEND.name, ratio: 1.1 }],
    async measure(arm) {
      const session = await Session.start(arm)
      try {
        await session.open({ connections, subscriptions: () => [0] })
        await session.deliver({ ...ONE_TOKEN, size, blocks: warmUpBlocks })
        const { latenciesMs, serverCpuMs } = await session.feed({ ...ONE_TOKEN, size, blocks }, EVERY_MS)
        const sorted = latenciesMs.toSorted()
        return {
          p99: quantile(sorted, 0.99),
          p50: quantile(sorted, 0.5),
          'p99.9': quantile(sorted, 0.999),
          'server CPU per delivery': (serverCpuMs / sorted.length) * 1_000,
          delivered: sorted.length / connections / blocks,
        }
      } finally {
        await session.stop()
      }
    },
  }
}
