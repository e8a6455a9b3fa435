import { expect, it } from 'vitest'
import { createChainSource } from '#chain/chainSource.ts'
import { createRandom } from '#devchain/traders/random.ts'
import type { Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { createDirectory } from '#launchpads/directory/directory.ts'
import { tokenSource } from '#launchpads/logSource.ts'
import { createAdapters } from '#launchpads/registry.ts'
import { batchOf, fetchRange } from '#sync/prefetch.ts'
import { createChainRpc } from '#test/support/chainRpc.ts'
import { createForkingChain } from '#test/support/forkingChain.ts'
import { type NewLog, testAddress } from '#test/support/simulatedChain.ts'
import { CLANKER_V4, CLANKER_V31 } from '#test/support/simulatedClanker.ts'
import { FACTORY, START_BLOCK, WETH } from '#test/support/simulatedLaunchpad.ts'
import { transferLog } from '#test/support/simulatedLogs.ts'
import { strangersLogs } from '#test/support/strangers.ts'

const launchpads = [
  { name: 'reference', adapter: 'bonding-curve', startBlock: START_BLOCK, contracts: { factory: FACTORY } },
  { name: 'clanker', adapter: 'clanker-v3.1', startBlock: START_BLOCK, contracts: CLANKER_V31 },
  { name: 'clanker4', adapter: 'clanker-v4', startBlock: START_BLOCK, contracts: CLANKER_V4 },
]
const TOKENS = 100_000
const BLOCKS = 120
const [holder, other] = [testAddress(800_001), testAddress(800_002)]

const indexed = Array.from({ length: TOKENS }, (_, index) => tokenSource('reference', testAddress(1_000_000 + index)))

/** Beside the launches and trades of the simulated launchpads: a transfer of an indexed token, and `share` times as many of others. */
const withOthers = (share: number) => (number: number) => {
  const own: NewLog = transferLog(testAddress(1_000_000 + ((number * 7_919) % TOKENS)), holder, other, 1n)
  const others = Array.from({ length: share }, (_, index) => transferLog(testAddress(2_000_000 + index), holder, other, 1n))
  return [own, ...others, ...strangersLogs(number)]
}

it.each([1, 20])(
  'a range of 100,000 tokens amid %i times as many logs of others is fetched in a query for each thousand, with what it launches',
  async share => {
    const { chain, mine } = createForkingChain(createRandom(5), 10, withOthers(share))
    mine(BLOCKS)
    let queries = 0
    const intercept = (_: string, { method }: { readonly method: string }, answer: () => unknown) => {
      if (method === 'eth_getLogs') queries++
      return answer()
    }
    const source = createChainSource({ rpc: createChainRpc([chain], { intercept }) })
    const directory = createDirectory(createAdapters({ weth: WETH, launchpads }))
    directory.add(indexed, START_BLOCK)
    const batch = await fetchRange(source, directory, { from: START_BLOCK, to: BLOCKS, announced: [], maxLogs: 1e9 })

    const announced = new Set<Hex>()
    const followed = Array.from(
      { length: BLOCKS },
      (_, index) => batchOf([chain.at(START_BLOCK + index)], 'live', directory, announced).logs,
    )
    expect(announced.size).toBeGreaterThan(5)
    // A followed block comes with everything that a PoolManager says; a range only with what it says of the pools that are watched.
    const isOfPool = ({ address, topics: [, id] }: ChainLog) => address !== CLANKER_V4.poolManager || announced.has(id ?? '0x')
    expect(batch.logs).toEqual(followed.flat().filter(isOfPool))
    expect(queries).toBeLessThan(TOKENS / 1_000 + 12)
  },
)
