import { expect, it } from 'vitest'
import { createChainSource } from '#chain/chainSource.ts'
import { createBackfill } from '#sync/backfill.ts'
import { createChainRpc } from '#test/support/chainRpc.ts'
import { createMemoryIndex } from '#test/support/memorySink.ts'
import { createSimulatedChain, testAddress } from '#test/support/simulatedChain.ts'

const launchpad = testAddress(0)

it('asks for as many blocks as the last range says that hold enough', async () => {
  const chain = createSimulatedChain()
  for (let number = 1; number <= 200; number++) chain.mine(number <= 60 ? [] : [{ address: launchpad }, { address: launchpad }])
  const { watchlist } = createMemoryIndex({ contracts: [launchpad] })
  const source = createChainSource({ rpc: createChainRpc([chain]) })
  const backfill = createBackfill({ source, watchlist, bounds: { leastBlocks: 1, mostBlocks: 40, targetLogs: 20 } })
  expect(backfill.endOf(1, 200)).toBe(40)
  expect(backfill.endOf(1, 7)).toBe(7)
  await backfill.range(1, 10, [])
  expect(backfill.endOf(11, 200)).toBe(50)
  await backfill.range(61, 80, [])
  expect(backfill.endOf(81, 200)).toBe(90)
  expect((await backfill.range(81, 120, [])).batch).toMatchObject({ from: 81, to: { number: 120 } })
})
