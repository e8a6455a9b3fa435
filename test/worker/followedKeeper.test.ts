import { expect, test } from 'vitest'
import { createChainSource } from '#chain/chainSource.ts'
import { createRandom } from '#devchain/traders/random.ts'
import type { CommitNotice } from '#jobs/commitJob.ts'
import { createAdapters } from '#launchpads/registry.ts'
import type { RpcCall } from '#rpc/rpcEndpoint.ts'
import { readKeptRuns } from '#store/keptLogs.ts'
import { createChainRpc } from '#test/support/chainRpc.ts'
import { silentLogger, useDatabase } from '#test/support/database.ts'
import { createForkingChain } from '#test/support/forkingChain.ts'
import { commitBlocks, LAUNCHPADS, openIndex, SIMULATED_FACTS } from '#test/support/simulatedIndex.ts'
import { WETH } from '#test/support/simulatedLaunchpad.ts'
import { createFollowedKeeper } from '#worker/openIndexing.ts'
import { openKeptLogs } from '#worker/openKeptLogs.ts'
import { openSideIndex, type SideIndexOptions } from '#worker/sideIndex.ts'

/* Logs of blocks that were followed one by one: only those of ranges were kept, and a rebuild asked for the others again. */

const DEPTH = 16
const RANGE = 10
const HEAD = 130
const database = await useDatabase()
const { chain, mine } = createForkingChain(createRandom(2), DEPTH)
mine(HEAD)
const genesisHash = chain.at(0).header.hash
const SETTINGS = { keepLogs: true, logsFrom: null, verifyLogs: 'bloom', confirmations: 0, maxReorgDepth: DEPTH } as const

/** The chain, and the first blocks of the ranges whose logs a provider is asked for. */
function countedChain() {
  const ranges: number[] = []
  const intercept = (_: string, { method, params }: RpcCall, answer: () => unknown) => {
    const [filter] = params as readonly { readonly fromBlock?: string }[]
    if (method === 'eth_getLogs' && filter?.fromBlock !== undefined) ranges.push(Number(filter.fromBlock))
    return answer()
  }
  const rpc = createChainRpc([chain], { intercept })
  return { ranges, chain: { rpc, source: { ...createChainSource({ rpc }), ...SIMULATED_FACTS }, chainId: 1, genesisHash } }
}

const runsOf = async () => (await readKeptRuns(database.kysely)).map(({ ranges }) => ranges.map(({ from, to }) => [from, to]))

test('are kept once they are final, over restarts, and a side index asks no provider for them', async () => {
  const index = await openIndex(database, { genesisHash, maxReorgDepth: DEPTH })
  const adapters = createAdapters({ weth: WETH, launchpads: LAUNCHPADS })
  /** One process: follows these blocks. */
  const follow = async (from: number, to: number) => {
    const counted = countedChain()
    const kept = await openKeptLogs({ config: SETTINGS, chain: counted.chain, orm: database.orm, adapters, logger: silentLogger })
    const options = { kept, db: database.kysely, watchlist: index.directory, maxReorgDepth: DEPTH, logger: silentLogger, blocks: RANGE }
    const keeper = createFollowedKeeper({ ...options, isBehind: () => false })
    for (let number = from; number <= to; number++) {
      await commitBlocks(index, chain.at(number))
      keeper.committed({ number } as CommitNotice)
      await keeper.settled()
    }
    await keeper.stop()
    await kept.close()
    return counted.ranges
  }
  const first = await follow(1, 57)
  // Blocks 1 to 41 are final.
  for (const run of await runsOf()) expect(run.at(-1)).toEqual([31, 40])
  expect(Math.max(...first)).toBeLessThanOrEqual(40)
  const second = await follow(58, HEAD)
  expect(Math.min(...second)).toBe(41)
  const kept = Array.from({ length: 11 }, (_, nth) => [nth * RANGE + 1, (nth + 1) * RANGE])
  for (const run of await runsOf()) expect(run.slice(-11)).toEqual(kept)

  const counted = countedChain()
  const config = { ...SETTINGS, launchpads: { weth: WETH, launchpads: LAUNCHPADS } }
  const main = { main: database.kysely, mainUrl: database.url, writer: 'side', now: () => performance.now(), logger: silentLogger }
  const list = { launchpads: LAUNCHPADS.slice(1), pegUsd: [] }
  const side = await openSideIndex({ ...main, config, chain: counted.chain, list } as unknown as SideIndexOptions)
  await expect.poll(() => side.progress().indexedBlock).toBe(String(HEAD - DEPTH / 2))
  await side.close()
  expect(counted.ranges).toEqual([])
})
