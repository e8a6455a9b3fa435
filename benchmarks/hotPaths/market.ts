import { quantile } from '#benchmarks/harness/quantile.ts'
import { tokenPlan } from '#benchmarks/load/tokenPlan.ts'
import { createRandom } from '#devchain/traders/random.ts'
import { deliverBlocks } from './deliverBlocks.ts'
import type { HotPath } from './hotPath.ts'

const CONNECTIONS = 2_000
const TOKENS_EACH = 10
const TRADED = 100
const BLOCKS = 16

export const market = marketPath('market', false)
export const marketDeltas = marketPath('market, deltas', true)

function marketPath(name: string, delta: boolean): HotPath {
  return {
    name,
    about: `${CONNECTIONS} WebSockets watch ${TOKENS_EACH} of 1,000 tokens each, most of them the same few; each of ${BLOCKS} blocks trades ${TRADED} tokens${delta ? '; changes come as deltas' : ''}`,
    figures: [
      { name: 'CPU per delivery', unit: 'µs', better: 'less' },
      { name: 'p50', unit: 'ms', better: 'less' },
      { name: 'p95', unit: 'ms', better: 'less' },
    ],
    measure: async turn => {
      const service = await turn.start()
      const load = await turn.startLoad()
      const { tokens, head } = turn.contents
      await service.indexed(head)
      const random = createRandom(1)
      const watched = Array.from({ length: turn.scaled(CONNECTIONS) }, () => {
        const some = new Set<number>()
        while (some.size < Math.min(TOKENS_EACH, tokens.length)) some.add(Math.floor(tokens.length ** random.unit()) - 1)
        return [...some]
      })
      await load.connect(
        service.port,
        watched.map(some =>
          tokenPlan(
            service.port,
            some.flatMap(index => tokens[index] ?? []),
            { delta },
          ),
        ),
      )
      const watchers = tokens.map(() => 0)
      for (const index of watched.flat()) watchers[index] = (watchers[index] ?? 0) + 1
      const traded = turn.scaled(TRADED)
      let next = 0
      const blocksOf = (count: number) => Array.from({ length: count }, () => Array.from({ length: traded }, () => next++ % tokens.length))
      const due = (of: readonly number[]) => of.reduce((sum, index) => sum + (watchers[index] ?? 0), 0)
      const common = { turn, service, load, due }
      // Each token once: the first update of a token that is awaited makes its actor.
      await deliverBlocks({ ...common, blocks: blocksOf(Math.ceil(tokens.length / traded)), isChecked: true })
      const { latenciesMs, serviceCpuMs, messages } = await deliverBlocks({ ...common, blocks: blocksOf(turn.scaled(BLOCKS)) })
      return {
        'CPU per delivery': (serviceCpuMs / messages) * 1_000,
        p50: quantile(latenciesMs, 0.5),
        p95: quantile(latenciesMs, 0.95),
      }
    },
  }
}
