import { quantile } from '#benchmarks/harness/quantile.ts'
import { tokenPlan } from '#benchmarks/load/tokenPlan.ts'
import { deliverBlocks } from './deliverBlocks.ts'
import type { HotPath } from './hotPath.ts'

const WARM_UP_BLOCKS = 40
const BLOCKS = 120

export const blockToSocket: HotPath = {
  name: 'block to socket',
  about: `each of ${BLOCKS} blocks trades one token, which one WebSocket watches; from the block at the provider to the update at the client`,
  figures: [
    { name: 'p50', unit: 'ms', better: 'less' },
    { name: 'p95', unit: 'ms', better: 'less' },
  ],
  measure: async turn => {
    const service = await turn.start()
    const load = await turn.startLoad()
    await service.indexed(turn.contents.head)
    await load.connect(service.port, [tokenPlan(service.port, turn.contents.tokens.slice(0, 1))])
    const blocksOf = (count: number) => Array.from({ length: turn.scaled(count) }, () => [0])
    const common = { turn, service, load, due: () => 1 }
    await deliverBlocks({ ...common, blocks: blocksOf(WARM_UP_BLOCKS), isChecked: true })
    const { latenciesMs } = await deliverBlocks({ ...common, blocks: blocksOf(BLOCKS) })
    return { p50: quantile(latenciesMs, 0.5), p95: quantile(latenciesMs, 0.95) }
  },
}
