import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { createChainSource } from '#chain/chainSource.ts'
import { createRandom } from '#devchain/traders/random.ts'
import { RpcError } from '#rpc/rpcFault.ts'
import type { Committer } from '#sync/committer.ts'
import { createPrefetch } from '#sync/prefetch.ts'
import { afterEvent, decide, type ProjectedBatch, type SyncState } from '#sync/state.ts'
import { performAction } from '#sync/sync.ts'
import { createChainRpc } from '#test/support/chainRpc.ts'
import { useDatabase } from '#test/support/database.ts'
import { createForkingChain } from '#test/support/forkingChain.ts'
import { dumpTables } from '#test/support/indexChain.ts'
import { indexAtOnce, openIndex } from '#test/support/simulatedIndex.ts'
import { START_BLOCK } from '#test/support/simulatedLaunchpad.ts'

const database = await useDatabase()
const fresh = await useDatabase()
const MAX_REORG_DEPTH = 16

// A batch was prepared, the block before it was settled, and the batch's changes took back what settling had done to the windows.
it('a batch that was prepared before the block it follows was settled is prepared again', async () => {
  const { chain, mine } = createForkingChain(createRandom(5), 64)
  mine(21)
  // Trades before this block are out of all windows, also those of tokens that are not traded in it.
  mine(1, 90_000)
  mine(60)
  // Blocks that are committed together end before a block that can't be fetched, with many more known to follow.
  let lost = false
  const source = createChainSource({
    rpc: createChainRpc([chain], {
      intercept: (_, { params: [number] }, answer) => {
        if (number !== '0x17' || lost) return answer()
        lost = true
        throw new RpcError({ kind: 'network' })
      },
    }),
  })
  const genesisHash = chain.at(0).header.hash
  const { committer, directory } = await openIndex(database, { genesisHash, maxReorgDepth: MAX_REORG_DEPTH })
  const prepared = new Map<number, Promise<ProjectedBatch>>()
  const prepare: Committer['prepare'] = (batch, previous) => {
    const outcome = committer.prepare(batch, previous)
    prepared.set(batch.from, outcome)
    return outcome
  }
  const bounds = { startBlock: START_BLOCK, followBlocks: 100, liveBlocks: 8 }
  const ranges = { minBlocks: 1, maxBlocks: 100, targetLogs: 1_000 }
  const prefetch = createPrefetch({ source, watchlist: directory, prepare, bounds, ranges })
  const options = { source, committer, watchlist: directory, genesisHash, maxReorgDepth: MAX_REORG_DEPTH }
  let state: SyncState = { kind: 'unknown', uncertain: null }

  /** One step with the chain ending at `head`. */
  const step = async (head: number): Promise<string> => {
    const { header } = chain.at(head)
    const tip = { head: header, confirmed: header, block: null }
    const action = decide(state, tip, bounds, prefetch.rangeBlocks())
    if (action.kind === 'wait') return 'wait'
    const result = await performAction(action, state, tip, prefetch, options)
    if (result.kind !== 'commit') {
      state = afterEvent(state, result)
      return result.kind
    }
    const { commit, blocks } = result
    state = afterEvent(state, { kind: 'committed', commit, blocks, block: await committer.commit(commit) })
    return `${commit.kind} ${commit.to.number}`
  }
  const stepUntil = async (outcome: string, head: number) => {
    while ((await step(head)) !== outcome);
  }

  await stepUntil('batch 20', 20)
  await stepUntil('batch 22', 82)
  await expect.poll(() => prepared.has(23)).toBe(true)
  await prepared.get(23)
  // For a moment the chain seems to end there.
  expect(await step(22)).toBe('settle 22')
  expect(await step(22)).toBe('wait')
  await stepUntil('batch 82', 82)

  await indexAtOnce(fresh, chain, 82)
  expect(await dumpTables(database.kysely)).toEqual(await dumpTables(fresh.kysely))
  const totals = (db: typeof database) =>
    sql`select tokens, trades_h24, volume_h24, traders_h24, liquidity_weth from index_totals`.execute(db.kysely).then(({ rows }) => rows)
  expect(await totals(database)).toEqual(await totals(fresh))
})
