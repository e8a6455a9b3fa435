import { mapBounded } from '#async/mapBounded.ts'
import { answerCalls } from '#benchmarks/harness/worker.ts'
import type { BlockRange, FloorCalls, FloorPlan } from './floorCalls.ts'
import { connectJsonRpc, type JsonRpc } from './jsonRpc.ts'

/*
 * The lower bound of an indexer's time: fetches the logs and the headers of their blocks in the largest ranges that the provider
 * allows, which it knows in advance, and parses the JSON without using it.
 */
answerCalls<FloorCalls>({
  fetchAll: async (plan: FloorPlan) => {
    const rpc = connectJsonRpc(plan.url)
    const begunAtMs = performance.now()
    const counts = await mapBounded(plan.ranges, plan.concurrency, range => fetchRange(rpc, range, plan))
    const sum = (of: (count: { logs: number; headers: number }) => number) => counts.reduce((total, count) => total + of(count), 0)
    return { logs: sum(({ logs }) => logs), headers: sum(({ headers }) => headers), ms: performance.now() - begunAtMs }
  },
  usage: () => {
    const { user, system } = process.cpuUsage()
    return { cpuMs: (user + system) / 1_000, peakRssMiB: process.resourceUsage().maxRSS / 1_024 }
  },
})

async function fetchRange(rpc: JsonRpc, { from, to, blocks }: BlockRange, { addresses, headersPerRequest }: FloorPlan) {
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
