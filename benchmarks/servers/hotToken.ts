import type { Benchmark } from '#benchmarks/harness/benchmark.ts'
import { quantile } from '#benchmarks/harness/quantile.ts'
import { serverArms } from './serverArms.ts'

const ONE_TOKEN = { touched: 1, tokens: 1, size: 'small' } as const

interface HotTokenSettings {
  readonly connections: number
  readonly blocks: number
}

/** One token that all connections watch, updated as fast as possible. */
export function hotTokenThroughput({ connections, blocks }: HotTokenSettings): Benchmark {
  return {
    name: `one hot token, throughput, ${connections} subscribers`,
    about: `${connections} connections watch one token; each of ${blocks} updates is committed when all but the previous one have arrived`,
    figures: [
      { name: 'deliveries', unit: '/s', better: 'more' },
      { name: 'server CPU per delivery', unit: 'µs', better: 'less' },
      { name: 'bytes per delivery', unit: 'bytes', better: 'less' },
      { name: 'load CPU', unit: '', better: 'less' },
    ],
    arms: serverArms(async session => {
      await session.open({ connections, subscriptions: () => [0] })
      await session.deliver({ ...ONE_TOKEN, blocks: Math.ceil(blocks / 2) }, { window: 2 })
      const before = await session.load.count(0, connections)
      const { tookMs, serverCpuMs, loadCpuMs } = await session.deliver({ ...ONE_TOKEN, blocks }, { window: 2 })
      const after = await session.load.count(0, connections)
      const deliveries = connections * blocks
      return {
        deliveries: (deliveries / tookMs) * 1_000,
        'server CPU per delivery': (serverCpuMs / deliveries) * 1_000,
        'bytes per delivery': (after.bytes - before.bytes) / deliveries,
        'load CPU': loadCpuMs / tookMs,
      }
    }),
  }
}

/** Deliveries after which the code is compiled, as in a service that has run for some minutes. */
const WARM_UP_DELIVERIES = 10_000
const WARM_UP_BLOCKS = 40
const EVERY_MS = 50

/** One token that all connections watch, updated at a fixed rate. */
export function hotTokenLatency({ connections, blocks }: HotTokenSettings): Benchmark {
  const warmUpBlocks = Math.max(WARM_UP_BLOCKS, Math.ceil(WARM_UP_DELIVERIES / connections))
  return {
    name: `one hot token at 20/s, ${connections} subscribers`,
    about: `${connections} connections watch one token with ${blocks} updates, 20 a second; from commit to receipt`,
    figures: [
      { name: 'p50', unit: 'ms', better: 'less' },
      { name: 'p99', unit: 'ms', better: 'less' },
      { name: 'p99.9', unit: 'ms', better: 'less' },
      { name: 'server CPU per delivery', unit: 'µs', better: 'less' },
    ],
    arms: serverArms(async session => {
      await session.open({ connections, subscriptions: () => [0] })
      await session.deliver({ ...ONE_TOKEN, blocks: warmUpBlocks })
      const { latenciesMs, serverCpuMs } = await session.feed({ ...ONE_TOKEN, blocks }, EVERY_MS)
      const sorted = latenciesMs.toSorted()
      return {
        p50: quantile(sorted, 0.5),
        p99: quantile(sorted, 0.99),
        'p99.9': quantile(sorted, 0.999),
        'server CPU per delivery': (serverCpuMs / sorted.length) * 1_000,
      }
    }),
  }
}
