import { expect, test } from 'vitest'
import { createLaunchpadChain } from '#benchmarks/chain/launchpadChain.ts'
import { closeAfterFile } from '#test/support/closeAfterFile.ts'
import { openOrm, useDatabase } from '#test/support/database.ts'
import { startDistantDatabase } from '#test/support/distantDatabase.ts'
import { commitBlocks, indexAtOnce, openIndex } from '#test/support/simulatedIndex.ts'

/*
 * A live block took 28 round trips: with a database 100 ms away nearly three seconds, so that the index fell behind a chain with a block per
 * second. The distance is large here, so that a busy machine's own time matters little beside it.
 */

const AWAY_MS = 500
/** Twice as many as it takes. */
const ROUND_TRIPS = 12
const TRADED = Array.from({ length: 25 }, (_, token) => token)

test('a block with a distant database takes the time of a dozen round trips at most', async () => {
  const database = await useDatabase()
  const chain = createLaunchpadChain({ tokens: TRADED.length, trades: 100, blocks: 4 })
  await indexAtOnce(database, chain, chain.head().header.number)
  const distant = await startDistantDatabase(database.url, AWAY_MS / 2)
  closeAfterFile(distant.stop)
  const orm = openOrm(distant.url)
  const index = await openIndex({ orm }, { genesisHash: chain.at(0).header.hash, maxReorgDepth: 16, revaluedPerBlock: 100 })
  const tookMs: number[] = []
  for (let block = 0; block < 3; block++) {
    const mined = chain.mine(TRADED)
    const begunAtMs = performance.now()
    await commitBlocks(index, mined)
    tookMs.push(performance.now() - begunAtMs)
  }
  // The first one opens connections.
  expect(Math.min(...tookMs)).toBeLessThan(ROUND_TRIPS * AWAY_MS)
})
