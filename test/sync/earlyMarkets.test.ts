import { expect, it } from 'vitest'
import { createRandom } from '#devchain/traders/random.ts'
import { EARLY_CLASSES } from '#domain/holder.ts'
import { useDatabase } from '#test/support/database.ts'
import { expectEarlyAsCounted } from '#test/support/earlyOnChain.ts'
import { tradeEarly } from '#test/support/earlyRush.ts'
import { createForkingChain, type ForkingChain } from '#test/support/forkingChain.ts'
import { dumpTables } from '#test/support/indexChain.ts'
import { commitBlocks, indexAtOnce, openIndex, replaceWith, settle, wholeBlock } from '#test/support/simulatedIndex.ts'

/* Early wallets in the markets of all simulated launchpads, with forks: as a count over the chain's transfers and the trades gives them. */

const indexed = await useDatabase()
const fresh = await useDatabase()
const DEPTH = 8
const STEPS = 45
/** Most blocks are within the five seconds of a launch. */
const BLOCK_SECONDS = [1, 2, 2, 3, 6]

async function grow(forking: ForkingChain, seed: number): Promise<void> {
  const random = createRandom(seed)
  const { chain } = forking
  const index = await openIndex(indexed, { genesisHash: chain.at(0).header.hash, maxReorgDepth: DEPTH })
  for (let step = 0; step < STEPS; step++) {
    forking.mine(1, random.pick(BLOCK_SECONDS))
    await commitBlocks(index, chain.head())
    const most = Math.min(DEPTH, chain.head().header.number - 1)
    if (most < 1 || !random.chance(0.2)) continue
    const { added } = forking.fork(random.integer(1, most), 1)
    const [first] = added
    if (first === undefined) continue
    await replaceWith(index, { ancestor: chain.at(first.header.number - 1).header, batches: added.map(wholeBlock) })
  }
  await settle(index, chain.head().header)
}

it('every class of every launchpad is as counted from the chain, through forks, and the same after a rebuild', async () => {
  const seen: Record<string, Record<string, number>> = {}
  for (const seed of [1, 2]) {
    for (const database of [indexed, fresh]) await database.clear()
    const forking = createForkingChain(createRandom(seed), DEPTH, undefined, undefined, tradeEarly)
    await grow(forking, seed)
    const timeOf = (number: number) => forking.chain.at(number).header.timestamp
    for (const [launchpad, counts] of Object.entries(await expectEarlyAsCounted(indexed.kysely, { logs: forking.chain.logs(), timeOf }))) {
      for (const name of EARLY_CLASSES) (seen[launchpad] ??= {})[name] = (seen[launchpad]?.[name] ?? 0) + counts[name]
    }
    await indexAtOnce(fresh, forking.chain, forking.chain.head().header.number)
    expect(await dumpTables(indexed.kysely)).toEqual(await dumpTables(fresh.kysely))
  }
  expect(Object.keys(seen).toSorted()).toEqual(['clanker', 'clanker4', 'reference', 'zora'])
  for (const [launchpad, classes] of Object.entries(seen))
    for (const name of EARLY_CLASSES) expect([launchpad, name, (classes[name] ?? 0) > 0]).toEqual([launchpad, name, true])
})
