import { setTimeout as pause } from 'node:timers/promises'
import { type Scenario, seconds } from './scenario.ts'
import { NOTHING } from './world/chain.ts'
import { until } from './world/until.ts'
import type { World } from './world/world.ts'

/** Waits until the index is the chain, right away and after two more blocks. @returns how long the first took */
async function reconciles(here: World): Promise<string> {
  const replacedAt = performance.now()
  await here.matches()
  const took = seconds(replacedAt)
  here.chain.grow(2)
  await here.matches()
  return took
}

export const REORGS: readonly Scenario[] = [
  {
    group: 'reorgs',
    name: 'the head is replaced',
    checks: [
      'takes the other block when the newest one is replaced',
      'goes back when six blocks are replaced by three',
      'removes events that the new branch does not have',
      'follows three reorgs within 12 s',
    ],
    run: async ({ world, lasting, passed }) => {
      const here = await world({ blocks: 130 })
      const { chain } = here
      await here.start()
      await here.matches()
      chain.replace(1)
      passed('takes the other block when the newest one is replaced', await reconciles(here))
      chain.replace(6, 3)
      passed('goes back when six blocks are replaced by three', await reconciles(here))
      chain.replace(5, 5, NOTHING)
      passed('removes events that the new branch does not have', await reconciles(here))
      // Each while the one before may still be under way.
      for (const depth of [2, 5, 3]) {
        chain.replace(depth, depth + 1)
        await lasting(4)
      }
      passed('follows three reorgs within 12 s', await reconciles(here))
    },
  },
  {
    group: 'reorgs',
    name: '80 blocks are replaced',
    checks: ['undoes a reorg of 80 blocks, or stops and says so'],
    run: async ({ world, passed }) => {
      const here = await world({ blocks: 100 })
      await here.start()
      await here.matches()
      // Blocks of the backfill can't be undone: 80 followed ones come first.
      for (let grown = 0; grown < 90; grown += 10) {
        here.chain.grow(10)
        await here.matches()
      }
      here.chain.replace(80)
      passed('undoes a reorg of 80 blocks, or stops and says so', `undone, ${await reconciles(here)}`)
    },
  },
  {
    group: 'reorgs',
    name: 'the chain is replaced while the service is stopped',
    checks: ['finds at its start that the chain was replaced'],
    run: async ({ world, passed }) => {
      const here = await world()
      await here.start()
      await here.matches()
      await here.service.stop()
      here.chain.replace(12, 15)
      await here.start()
      passed('finds at its start that the chain was replaced', await reconciles(here))
    },
  },
  {
    group: 'reorgs',
    name: 'blocks behind the head are replaced in a backfill',
    checks: ['follows a reorg of blocks that it still catches up with'],
    run: async ({ world, passed }) => {
      const here = await world({ blocks: 400, node: { answerMs: 60 } })
      await here.start()
      const { chain } = here
      await until('it follows, far from the head', async () => (await here.cursor()) > chain.head.number - 115)
      const at = await here.cursor()
      const depth = Math.min(120, chain.head.number - at + 5)
      chain.replace(depth, depth + 3)
      await pause(0)
      passed('follows a reorg of blocks that it still catches up with', `at block ${at} of 400, ${await reconciles(here)}`)
    },
  },
]
