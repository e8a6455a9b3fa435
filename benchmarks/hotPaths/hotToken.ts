import { quantile } from '#benchmarks/harness/quantile.ts'
import { tokenPlan } from '#benchmarks/load/tokenPlan.ts'
import type { Token } from '#resources/token.ts'
import { deliverBlocks } from './deliverBlocks.ts'
import type { HotPath } from './hotPath.ts'

const CONNECTIONS = 3_000
const WARM_UP_BLOCKS = 15
const BLOCKS = 50

export const hotToken: HotPath = {
  name: 'hot token',
  about: `${CONNECTIONS} WebSockets watch one token, and each of ${BLOCKS} blocks trades it once; the next block comes when all have the update`,
  figures: [
    { name: 'CPU per delivery', unit: 'µs', better: 'less' },
    { name: 'block to the last client', unit: 'ms', better: 'less' },
  ],
  measure: async turn => {
    const service = await turn.start()
    const load = await turn.startLoad()
    await service.indexed(turn.contents.head)
    const connections = turn.scaled(CONNECTIONS)
    const [token] = turn.contents.tokens
    if (token === undefined) throw new Error('the chain has no token')
    await load.connect(
      service.port,
      Array.from({ length: connections }, () => tokenPlan(service.port, [token])),
    )
    const blocksOf = (count: number) => Array.from({ length: turn.scaled(count) }, () => [0])
    const common = { turn, service, load, due: () => connections }
    await deliverBlocks({ ...common, blocks: blocksOf(WARM_UP_BLOCKS), isChecked: true })
    const delivered = await deliverBlocks({ ...common, blocks: blocksOf(BLOCKS) })
    const { sequence } = (await service.json(`/api/tokens/${token}`)) as Token
    if (sequence !== delivered.newest) throw new Error(`clients have sequence ${delivered.newest}, REST has ${sequence}`)
    return {
      'CPU per delivery': (delivered.serviceCpuMs / delivered.messages) * 1_000,
      'block to the last client': quantile(
        delivered.lastMs.toSorted((a, b) => a - b),
        0.5,
      ),
    }
  },
}
