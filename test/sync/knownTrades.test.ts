import { expect, test } from 'vitest'
import { createLaunchpadChain } from '#benchmarks/chain/launchpadChain.ts'
import { LastStatements, type Transaction } from '#store/connection/transaction.ts'
import { readSnapshots } from '#store/reads/snapshots.ts'
import { useDatabase } from '#test/support/database.ts'
import { commitBlocks, indexAtOnce, openIndex } from '#test/support/simulatedIndex.ts'

const database = await useDatabase()

test('a block shows no trades of another block at its height whose commit failed', async () => {
  const chain = createLaunchpadChain({ tokens: 1, trades: 3, blocks: 2 })
  await indexAtOnce(database, chain, chain.head().header.number)
  let fails = false
  const around =
    (transaction: Transaction): Transaction =>
    work =>
      transaction(async db => {
        const done = await work(db)
        if (!fails) return done
        if (done instanceof LastStatements) await done.result
        throw new Error('the connection is lost')
      })
  const index = await openIndex(database, { genesisHash: chain.at(0).header.hash, maxReorgDepth: 16, around })

  fails = true
  await expect(commitBlocks(index, chain.mine([0]))).rejects.toThrow('the connection is lost')
  fails = false
  chain.reset()
  for (let block = 0; block < 3; block++) {
    const mined = chain.mine([0, 0])
    const committed = await commitBlocks(index, mined)
    expect(committed?.tokens.at(0)?.recent.trades.at(-1)?.blockHash).toBe(mined.header.hash)
    const [address] = chain.contents().tokens
    expect(committed?.tokens).toEqual(
      await readSnapshots(database.kysely, { chainId: 1, addresses: address === undefined ? [] : [address] }),
    )
  }
})
