import { setTimeout as pause } from 'node:timers/promises'
import { Load } from '#benchmarks/load/load.ts'
import { tokenPlan } from '#benchmarks/load/tokenPlan.ts'
import type { ConnectionPlan } from '#benchmarks/load/wire.ts'
import type { MemoryUsage } from '#benchmarks/servers/measureMemory.ts'
import { kernelBytes } from '#benchmarks/support/kernelMemory.ts'
import type { Service } from '#test/support/service.ts'
import { TOKENWIRE } from '../fanOut/arms.ts'
import type { Figures, Scenario } from '../fanOut/scenario.ts'
import { startTokenwireCluster } from './tokenwireCluster.ts'

const KILOBYTE = 1_024
/** The kernel frees some of what closing or opening left over only after a while. */
const KERNEL_SETTLES_MS = 1_000
const MEASURE_MEMORY = new URL('../../servers/measureMemory.ts', import.meta.url)
/** A tuned Centrifugo's whole process at 200,000 connections, divided by them. */
const GOAL_KB = 10.9

interface IdleSettings {
  /** At how many connections the memory is read, ascending. */
  readonly connections: readonly number[]
}

/** The memory of a gateway process whose clients hold the newest state and hear nothing. */
export function idleGateway({ connections }: IdleSettings): Scenario {
  const figures = connections.flatMap(count => Object.values(namesOf(count)))
  return {
    name: `${connections.at(-1)} idle clients of a gateway process`,
    about: `ROLE=gateway with ${connections.join(', ')} WebSockets, each with one of 10 tokens and its snapshot; memory per connection after a garbage collection. The kernel's is of both ends, halved, and not part of the process's`,
    arms: [TOKENWIRE],
    base: TOKENWIRE,
    maxRounds: 2,
    figures: figures.map(name => ({ name, unit: 'KB', better: 'less' })),
    goals: connections.map(count => ({ figure: namesOf(count).whole, of: TOKENWIRE.name, to: null, ratio: GOAL_KB })),
    measure: async () => {
      const cluster = await startTokenwireCluster({ gateways: 1, env: { NODE_OPTIONS: `--import=${MEASURE_MEMORY.href}` } })
      const load = await Load.start()
      try {
        const [gateway] = cluster.gateways
        const [port] = cluster.ports
        if (gateway === undefined || port === undefined) throw new Error('there is no gateway')
        const empty = await memoryOf(gateway)
        const figures: [string, number][] = []
        let open = 0
        for (const count of connections) {
          const plans = cluster.tokens.map(token => tokenPlan(port, [token], { snapshots: true }))
          await load.connect(
            port,
            Array.from({ length: count - open }, (_, index) => plans[index % plans.length] as ConnectionPlan),
          )
          open = count
          figures.push(...figuresOf(count, empty, await memoryOf(gateway)))
        }
        return Object.fromEntries(figures) satisfies Figures
      } finally {
        await load.stop()
        await cluster.stop()
      }
    },
  }
}

function namesOf(count: number) {
  return {
    beyondEmpty: `${count}: beyond the empty process`,
    heap: `${count}: of it JavaScript heap`,
    whole: `${count}: whole process`,
    kernel: `${count}: kernel`,
  }
}

interface Memory extends MemoryUsage {
  readonly kernelBytes: number
}

function figuresOf(count: number, empty: Memory, full: Memory): [string, number][] {
  const names = namesOf(count)
  const perConnection = (bytes: number) => bytes / count / KILOBYTE
  return [
    [names.beyondEmpty, perConnection(full.rssBytes - empty.rssBytes)],
    [names.heap, perConnection(full.heapBytes - empty.heapBytes)],
    [names.whole, perConnection(full.rssBytes)],
    [names.kernel, perConnection((full.kernelBytes - empty.kernelBytes) / 2)],
  ]
}

async function memoryOf({ process: child }: Service): Promise<Memory> {
  await pause(KERNEL_SETTLES_MS)
  const usage = await new Promise<MemoryUsage>(resolve => {
    const onMessage = (message: unknown) => {
      if ((message as MemoryUsage).type !== 'memory') return
      child.off('message', onMessage)
      resolve(message as MemoryUsage)
    }
    child.on('message', onMessage)
    child.send('memory')
  })
  return { ...usage, kernelBytes: kernelBytes() }
}
