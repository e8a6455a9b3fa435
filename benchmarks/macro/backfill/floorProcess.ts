import { mapBounded } from '#async/mapBounded.ts'
import { answerCalls } from '#benchmarks/support/worker.ts'
import type { FloorCalls, FloorPlan, Stretch } from './floorCalls.ts'
import { connectJsonRpc, type JsonRpc } from './jsonRpc.ts'

/*
 * What nobody who indexes this chain over this wire can be quicker than: the logs and the headers of their blocks, fetched in the largest
 * pieces that the provider allows, known beforehand, and parsed as JSON. Nothing is looked at.
 */
answerCalls<FloorCalls>({
  fetchAll: async (plan: FloorPlan) => {
    const rpc = connectJsonRpc(plan.url)
    const begunAtMs = performance.now()
    const counts = await mapBounded(plan.stretches, plan.concurrency, stretch => fetchStretch(rpc, stretch, plan))
    const sum = (of: (count: { logs: number; headers: number }) => number) => counts.reduce((total, count) => total + of(count), 0)
    return { logs: sum(({ logs }) => logs), headers: sum(({ headers }) => headers), ms: performance.now() - begunAtMs }
  },
  usage: () => {
    const { user, system } = process.cpuUsage()
    return { cpuMs: (user + system) / 1_000, peakRssMiB: process.resourceUsage().maxRSS / 1_024 }
  },
})

async function fetchStretch(rpc: JsonRpc, { from, to, blocks }: Stretch, { addresses, headersPerRequest }: FloorPlan) {
  const query = { fromBlock: quantity(from), toBlock: quantity(to), address: addresses }
  const parts = Array.from({ length: Math.ceil(blocks.length / headersPerRequest) }, (_, index) =>
    blocks.slice(index * headersPerRequest, (index + 1) * headersPerRequest),
  )
  const [logs, ...headers] = await Promise.all([
    rpc.batch([{ method: 'eth_getLogs', params: [query] }]),
    ...parts.map(part => rpc.batch(part.map(number => ({ method: 'eth_getBlockByNumber', params: [quantity(number), false] })))),
  ])
  const [found] = (logs ?? []) as readonly (readonly unknown[])[]
  return { logs: found?.length ?? 0, headers: headers.flat().length }
}

function quantity(value: number): string {
  return `0x${value.toString(16)}`
}
