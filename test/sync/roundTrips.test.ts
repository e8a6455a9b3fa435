import { expect, test } from 'vitest'
import { createLaunchpadChain } from '#benchmarks/chain/launchpadChain.ts'
import { openOrm, useDatabase } from '#test/support/database.ts'
import { startDistantDatabase } from '#test/support/distantDatabase.ts'
import { commitBlocks, indexAtOnce, openIndex } from '#test/support/simulatedIndex.ts'

/*
 * A live block took 28 messages to the database, nearly all one after the other: with a database 100 ms away, the index fell behind a chain
 * with a block per second.
 */

const MAX_ROUND_TRIPS = 6
const TOKENS = 500

const database = await useDatabase()
const distant = await startDistantDatabase(database.url)

const chain = createLaunchpadChain({ tokens: TOKENS, trades: TOKENS, blocks: 4 })
const orm = openOrm(distant.url)
await indexAtOnce({ orm }, chain, chain.head().header.number)
const index = await openIndex({ orm }, { genesisHash: chain.at(0).header.hash, maxReorgDepth: 16, revaluedPerBlock: 100 })
// The first block opens connections.
await commitBlocks(index, chain.mine([0]))

test.each([1, 50, TOKENS])('a live block that changes %i tokens takes few round trips to the database', async changed => {
  const traded = Array.from({ length: changed }, (_, token) => token)
  const counts: number[] = []
  for (let block = 0; block < 2; block++) {
    const before = distant.roundTrips()
    const committed = await commitBlocks(index, chain.mine(traded))
    expect(committed?.tokens).toHaveLength(changed)
    counts.push(distant.roundTrips() - before)
  }
  // A connection that is renewed meanwhile has round trips of its own.
  expect(Math.min(...counts)).toBeLessThanOrEqual(MAX_ROUND_TRIPS)
})
