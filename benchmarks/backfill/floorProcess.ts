import { mapBounded } from '#async/turns.ts'
import { answerCalls } from '#benchmarks/harness/worker.ts'

/*
 * The lower bound of an indexer's time: fetches the logs and headers of all blocks, in ranges that the provider allows, and parses the JSON
 * without using it.
 */

export interface FloorCalls {
  fetchAll(plan: { readonly url: string; readonly head: number; readonly blocksPerRange: number }): Promise<{ readonly logs: number }>
  usage(_: null): { readonly cpuMs: number; readonly peakRssMiB: number }
}

/** As many as Tokenwire has under way. */
const CONCURRENCY = 4
const HEADERS_PER_REQUEST = 100

answerCalls<FloorCalls>({
  fetchAll: async ({ url, head, blocksPerRange }) => {
    const starts = (step: number) => Array.from({ length: Math.ceil((head + 1) / step) }, (_, index) => index * step)
    const logs = await mapBounded(starts(blocksPerRange), CONCURRENCY, async from => {
      const query = { fromBlock: quantity(from), toBlock: quantity(Math.min(head, from + blocksPerRange - 1)) }
      const [answer] = await batch(url, [{ method: 'eth_getLogs', params: [query] }])
      return (answer as readonly unknown[]).length
    })
    await mapBounded(starts(HEADERS_PER_REQUEST), CONCURRENCY, from => {
      const numbers = Array.from({ length: Math.min(HEADERS_PER_REQUEST, head + 1 - from) }, (_, index) => quantity(from + index))
      return batch(
        url,
        numbers.map(number => ({ method: 'eth_getBlockByNumber', params: [number, false] })),
      )
    })
    return { logs: logs.reduce((sum, count) => sum + count, 0) }
  },
  usage: () => {
    const { user, system } = process.cpuUsage()
    return { cpuMs: (user + system) / 1_000, peakRssMiB: process.resourceUsage().maxRSS / 1_024 }
  },
})

async function batch(
  url: string,
  calls: readonly { readonly method: string; readonly params: readonly unknown[] }[],
): Promise<readonly unknown[]> {
  const body = JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call })))
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const answers = (await response.json()) as readonly { readonly result?: unknown; readonly error?: { readonly message: string } }[]
  for (const { error } of answers) if (error !== undefined) throw new Error(error.message)
  return answers.map(({ result }) => result)
}

function quantity(value: number): string {
  return `0x${value.toString(16)}`
}
