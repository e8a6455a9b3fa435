import { afterAll, expect, it } from 'vitest'
import { createRandom } from '#devchain/traders/random.ts'
import { openOrm, useDatabase } from '#test/support/database.ts'
import { startPostgresProxy } from '#test/support/faults/postgresProxy.ts'
import { createForkingChain } from '#test/support/forkingChain.ts'
import { commitBlocks, openIndex } from '#test/support/simulatedIndex.ts'

/*
 * The connection broke during a commit, and the server executed the commit after the indexer had read the cursor. The indexer took the
 * commit for failed. If another step failed before the repetition, it found the block indexed and continued after it: the contracts
 * that the block announced were not watched until the next start, and the block's update was never emitted.
 */

const database = await useDatabase()
const proxy = await startPostgresProxy({ url: database.url })
afterAll(() => proxy.stop())

it('the cursor is read only after a commit that the server is still executing has ended', async () => {
  const { chain, mine } = createForkingChain(createRandom(5), 16)
  mine(2)
  const orm = openOrm(proxy.url, { poolSize: 2 })
  const index = await openIndex({ orm }, { genesisHash: chain.at(0).header.hash, maxReorgDepth: 16 })
  await commitBlocks(index, chain.at(1))
  proxy.setMisfortune(({ kind }) => (kind === 'commit' ? { kind: 'late', afterMs: 100 } : undefined))
  await expect(commitBlocks(index, chain.at(2))).rejects.toThrow('Connection terminated')
  proxy.setMisfortune(undefined)
  expect((await index.committer.recentBlocks()).at(-1)?.number).toBe(2)
})
