import { Load } from '#benchmarks/load/load.ts'
import { textFrame, upgradeRequest } from '#benchmarks/load/wire.ts'
import type { MemoryUsage } from '#benchmarks/servers/measureMemory.ts'
import type { Service } from '#test/support/service.ts'
import { TOKENWIRE } from '../fanOut/arms.ts'
import type { Scenario } from '../fanOut/scenario.ts'
import { startTokenwireCluster } from './tokenwireCluster.ts'

const KILOBYTE = 1_024
const MEASURE_MEMORY = new URL('../../servers/measureMemory.ts', import.meta.url)

/** The memory of a gateway process whose clients hold the newest state and hear nothing. */
export function idleGateway({ connections }: { readonly connections: number }): Scenario {
  return {
    name: `${connections} idle clients of a gateway process`,
    about: `ROLE=gateway with ${connections} WebSockets, each with one of 10 tokens and its snapshot; the process's memory after a garbage collection, from without any to with all`,
    arms: [TOKENWIRE],
    base: TOKENWIRE,
    mostRounds: 2,
    figures: [
      { name: 'memory per connection', unit: 'KB', better: 'less' },
      { name: 'whole process per connection', unit: 'KB', better: 'less' },
      { name: 'JavaScript heap per connection', unit: 'KB', better: 'less' },
    ],
    // A tuned Centrifugo's at 200,000 connections, where the empty process does not count.
    goals: [{ figure: 'memory per connection', of: TOKENWIRE.name, to: null, ratio: 10.9 }],
    measure: async () => {
      const cluster = await startTokenwireCluster({ gateways: 1, env: { NODE_OPTIONS: `--import=${MEASURE_MEMORY.href}` } })
      const load = await Load.start()
      try {
        const [gateway] = cluster.gateways
        const [port] = cluster.ports
        if (gateway === undefined || port === undefined) throw new Error('there is no gateway')
        const plans = Array.from({ length: connections }, (_, index) => subscribing(port, cluster.tokens, index))
        const empty = await memoryOf(gateway)
        await load.connect(port, plans)
        const full = await memoryOf(gateway)
        return {
          'memory per connection': (full.rssBytes - empty.rssBytes) / connections / KILOBYTE,
          'whole process per connection': full.rssBytes / connections / KILOBYTE,
          'JavaScript heap per connection': (full.heapBytes - empty.heapBytes) / connections / KILOBYTE,
        }
      } finally {
        await load.stop()
        await cluster.stop()
      }
    },
  }
}

function subscribing(port: number, tokens: readonly string[], index: number) {
  return {
    kind: 'webSocket',
    request: upgradeRequest('/realtime', `127.0.0.1:${port}`),
    greeting: textFrame(JSON.stringify({ type: 'subscribe', token: tokens[index % tokens.length] })),
    ready: { text: '"reason":"', times: 1 },
  } as const
}

function memoryOf({ process: child }: Service): Promise<MemoryUsage> {
  return new Promise(resolve => {
    const onMessage = (message: unknown) => {
      if ((message as MemoryUsage).type !== 'memory') return
      child.off('message', onMessage)
      resolve(message as MemoryUsage)
    }
    child.on('message', onMessage)
    child.send('memory')
  })
}
