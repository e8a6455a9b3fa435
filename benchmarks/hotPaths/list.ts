import { Agent } from 'node:http'
import { quantile } from '#benchmarks/harness/quantile.ts'
import { type ConnectionPlan, textFrame, upgradeRequest } from '#benchmarks/load/wire.ts'
import { deliverBlocks } from './deliverBlocks.ts'
import type { HotPath } from './hotPath.ts'
import { requestEach } from './requestEach.ts'

const LISTS = 50
const WATCHERS_EACH = 10
const TRADED = 50
const BLOCKS = 16
const SORTS = ['volume5m', 'volume1h', 'volume24h', 'trades5m', 'trades1h']

export const list: HotPath = {
  name: 'list',
  about: `each of ${BLOCKS} blocks trades ${TRADED} tokens and so changes ${LISTS} lists: ${WATCHERS_EACH} WebSockets watch each, then each is requested once`,
  figures: [
    { name: 'CPU per block and list', unit: 'µs', better: 'less' },
    { name: 'database CPU per block and list', unit: 'µs', better: 'less' },
    { name: 'block to the last list', unit: 'ms', better: 'less' },
    { name: 'request p50', unit: 'ms', better: 'less' },
  ],
  measure: async turn => {
    const service = await turn.start()
    const load = await turn.startLoad()
    await service.indexed(turn.contents.head)
    const lists = Array.from({ length: turn.scaled(LISTS) }, (_, index) => ({
      sort: SORTS[index % SORTS.length] ?? 'volume1h',
      limit: 5 + Math.floor(index / SORTS.length),
    }))
    await load.connect(
      service.port,
      lists.flatMap((filters, index) => Array.from({ length: WATCHERS_EACH }, () => listPlan(service.port, filters, index))),
    )
    const traded = Array.from({ length: turn.scaled(TRADED) }, (_, index) => index)
    const paths = lists.map(({ sort, limit }) => `/api/tokens?sort=${sort}&limit=${limit}`)
    const agent = new Agent({ keepAlive: true, maxSockets: 4 })
    const requestMs: number[] = []
    const common = { turn, service, load, due: () => lists.length * WATCHERS_EACH }
    const blocksOf = (count: number) => Array.from({ length: count }, () => traded)
    const afterBlock = async () => void requestMs.push(...(await requestEach(service.url, paths, agent)))
    // The first lists, which answer the subscriptions, are not counted.
    await load.idle(1_000)
    await deliverBlocks({ ...common, blocks: blocksOf(4), isChecked: true, afterBlock })
    requestMs.length = 0
    const { serviceCpuMs, databaseCpuMs, lastMs, blocks } = await deliverBlocks({
      ...common,
      blocks: blocksOf(turn.scaled(BLOCKS)),
      afterBlock,
    })
    agent.destroy()
    const each = 1_000 / (blocks * lists.length)
    return {
      'CPU per block and list': serviceCpuMs * each,
      'database CPU per block and list': databaseCpuMs * each,
      'block to the last list': quantile(
        lastMs.toSorted((a, b) => a - b),
        0.5,
      ),
      'request p50': quantile(
        requestMs.toSorted((a, b) => a - b),
        0.5,
      ),
    }
  },
}

/** Its messages are only counted. Clients of one address may have a hundred different lists at most. */
function listPlan(port: number, filters: object, index: number): ConnectionPlan {
  return {
    isCounted: true,
    request: upgradeRequest('/realtime', `127.0.0.1:${port}`, [`X-Forwarded-For: 10.0.0.${index}`]),
    greeting: textFrame(JSON.stringify({ type: 'subscribe', channel: 'list', filters })),
    ready: { text: '"type":"subscribed"', times: 1 },
  }
}
