import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createChainSource } from '#chain/chainSource.ts'
import type { LaunchpadConfig, LaunchpadsConfig } from '#config'
import { createRandom } from '#devchain/traders/random.ts'
import type { Transaction } from '#store/connection/transaction.ts'
import { requestRebuild } from '#store/rows/listInForce.ts'
import { createChainRpc } from '#test/support/chainRpc.ts'
import { silentLogger, useDatabase } from '#test/support/database.ts'
import { createForkingChain } from '#test/support/forkingChain.ts'
import { LAUNCHPADS } from '#test/support/simulatedIndex.ts'
import { WETH } from '#test/support/simulatedLaunchpad.ts'
import { type GrowingIndexingOptions, openGrowingIndexing } from '#worker/growingIndexing.ts'

const [REFERENCE] = LAUNCHPADS as readonly [LaunchpadConfig]
const database = await useDatabase()

async function open(blocks: number, told: (readonly string[])[] = []) {
  const forking = createForkingChain(createRandom(1), 16)
  forking.mine(blocks)
  const genesisHash = forking.chain.at(0).header.hash
  const rpc = { ...createChainRpc([forking.chain]), request: async () => '0x60', close: () => undefined }
  const launchpads = { weth: WETH, launchpads: [REFERENCE], pegUsd: [] }
  const config = { launchpads, confirmations: 0, maxReorgDepth: 4, keepLogs: false, logsFrom: null, verifyLogs: 'bloom' }
  const jobs = {
    ipfsGateways: [],
    arweaveGateways: [],
    metadataFetch: 'off',
    claimableRefreshBlocks: 100,
    revaluedTokensPerBlock: 0,
    retainMinuteCandles: null,
  }
  const indexing = await openGrowingIndexing({
    config: { ...config, ...jobs },
    chain: { rpc, source: createChainSource({ rpc }), chainId: 1, genesisHash, launchpads: [REFERENCE] },
    databaseUrl: database.url,
    onLaunchpads: ({ launchpads: now }: LaunchpadsConfig) => told.push(now.map(({ name }) => name)),
    paced: (transaction: Transaction) => transaction,
    isWatched: () => true,
    ethUsd: () => null,
    now: () => 0,
    logger: silentLogger,
  } as unknown as GrowingIndexingOptions)
  return { indexing, forking }
}

test('a rebuild is told like any other change, though the list stays as it was', async () => {
  // The list was compared with the one at the start, which lacked the request: clients of the same process learned nothing of the rebuild.
  const told: (readonly string[])[] = []
  const { indexing } = await open(30, told)
  try {
    indexing.blocks.subscribe()
    await expect.poll(() => indexing.view.state().indexedBlock).toBe(30)
    await requestRebuild(database.kysely, REFERENCE.name)
    await expect.poll(() => told).toEqual([[REFERENCE.name]])
  } finally {
    await indexing.stop()
    await indexing.close()
  }
})

test('a graduation into a pool of which no log was seen is a problem of its launchpad, until one is seen', async () => {
  const { indexing, forking } = await open(60)
  const graduated = sql`select 1 from token where graduated_pool is not null`
  try {
    indexing.blocks.subscribe()
    await expect.poll(async () => (await graduated.execute(database.kysely)).rows.length).toBeGreaterThan(0)
    await expect.poll(() => indexing.view.state().lagBlocks).toBe(0)
    expect(indexing.view.state().problems).toEqual([])
    await sql`update pool set last_changed_block = null`.execute(database.kysely)
    forking.mine(1)
    await expect.poll(() => indexing.view.state().problems).toEqual([expect.stringMatching(/^launchpad \w+: token 0x.* no log was seen/)])
    await sql`update pool set last_changed_block = 1`.execute(database.kysely)
    forking.mine(1)
    await expect.poll(() => indexing.view.state().problems).toEqual([])
  } finally {
    await indexing.stop()
    await indexing.close()
  }
})
