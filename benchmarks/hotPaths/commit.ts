import { quantile } from '#benchmarks/harness/quantile.ts'
import { tokenPlan } from '#benchmarks/load/tokenPlan.ts'
import { deliverBlocks } from './deliverBlocks.ts'
import { expectTrades } from './expectTrades.ts'
import type { HotPath } from './hotPath.ts'

const TRADES = 100
const WARM_UP_BLOCKS = 8
const BLOCKS = 30

export const commit: HotPath = {
  name: 'commit',
  about: `each of ${BLOCKS} blocks trades ${TRADES} tokens; one client watches one of them, and the next block comes when it has the update`,
  figures: [
    { name: 'service CPU per trade', unit: 'µs', better: 'less' },
    { name: 'database CPU per trade', unit: 'µs', better: 'less' },
    { name: 'block to the client', unit: 'ms', better: 'less' },
  ],
  measure: async turn => {
    const service = await turn.start()
    const load = await turn.startLoad()
    await service.indexed(turn.contents.head)
    await load.connect(service.port, [tokenPlan(service.port, turn.contents.tokens.slice(0, 1))])
    const traded = Array.from({ length: turn.scaled(TRADES) }, (_, index) => index)
    const blocksOf = (count: number) => Array.from({ length: turn.scaled(count) }, () => traded)
    const common = { turn, service, load, due: () => 1 }
    await deliverBlocks({ ...common, blocks: blocksOf(WARM_UP_BLOCKS), isChecked: true })
    const { serviceCpuMs, databaseCpuMs, lastMs, blocks } = await deliverBlocks({ ...common, blocks: blocksOf(BLOCKS) })
    await expectTrades(service, await turn.chain.call('contents', null))
    const perTrade = 1_000 / (blocks * traded.length)
    return {
      'service CPU per trade': serviceCpuMs * perTrade,
      'database CPU per trade': databaseCpuMs * perTrade,
      'block to the client': quantile(
        lastMs.toSorted((a, b) => a - b),
        0.5,
      ),
    }
  },
}
