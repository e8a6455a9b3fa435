import { expect, it } from 'vitest'
import { createChainSource } from '#chain/chainSource.ts'
import { readGenesisHash } from '#chain/readGenesisHash.ts'
import { fetchRange } from '#sync/fetch/range.ts'
import { type ChainRpcOptions, createChainRpc } from '#test/support/chainRpc.ts'
import { runIndexer } from '#test/support/indexing.ts'
import { createMemoryIndex } from '#test/support/memorySink.ts'
import { createSimulatedChain, type SimulatedChain, testAddress } from '#test/support/simulatedChain.ts'

/* Single wrong answers of a provider that had consequences for good. */

const contract = testAddress(0)
const WRONG = `0x${'ab'.repeat(32)}`

function chainOf(blocks: number): SimulatedChain {
  const chain = createSimulatedChain()
  for (let count = 0; count < blocks; count++) chain.mine()
  return chain
}

/** Gives the nth answer about a block another hash. */
function wrongHash(block: number, nth: number): ChainRpcOptions {
  let seen = 0
  return {
    intercept: (_, { method, params }, answer) => {
      const said = answer()
      if (method !== 'eth_getBlockByNumber' || Number(params[0]) !== block || ++seen !== nth) return said
      return { ...(said as object), hash: WRONG }
    },
  }
}

/*
 * The last header of a range was taken from the question that was to confirm it. Its hash became the cursor, which nothing can undo in a
 * backfilled range: indexing stopped for good with "the chain has replaced at least 1 indexed block".
 */
it.each([1, 2, 3])('a range whose end is shown with a wrong hash (the answer number %i) is not believed', async nth => {
  const source = createChainSource({ rpc: createChainRpc([chainOf(20)], wrongHash(10, nth)) })
  const { watchlist } = createMemoryIndex({ contracts: [contract] })
  await expect(fetchRange(source, watchlist, { from: 5, to: 10, announced: [], maxLogs: 10 })).rejects.toMatchObject({
    code: 'rpc_inconsistent',
  })
})

/* A provider turned to another chain between the first and the last header of a range without logs: the other chain's block became the cursor. */
it('a range that begins on one chain and ends on another is not believed', async () => {
  const other = createSimulatedChain()
  other.drop(1)
  for (let count = 0; count <= 20; count++) other.mine()
  const intercept: ChainRpcOptions['intercept'] = (_, { method, params }, answer) =>
    Number(params[0]) === 5 ? answer() : other.answer(method, params)
  let asked = 0
  const turning: ChainRpcOptions['intercept'] = (name, call, answer) =>
    ++asked === 1 ? intercept(name, call, answer) : other.answer(call.method, call.params)
  const source = createChainSource({ rpc: createChainRpc([chainOf(20)], { intercept: turning }) })
  const { watchlist } = createMemoryIndex({ contracts: [] })
  await expect(fetchRange(source, watchlist, { from: 5, to: 10, announced: [], maxLogs: 10 })).rejects.toMatchObject({
    code: 'rpc_inconsistent',
  })
})

/* The first block's hash, by which a database knows its chain, was taken from one answer: the next start refused the database. */
it('a chain is not told by one garbled answer', async () => {
  const source = createChainSource({ rpc: createChainRpc([chainOf(3)], wrongHash(0, 1)) })
  await expect(readGenesisHash(source)).rejects.toMatchObject({ code: 'rpc_inconsistent', retryable: true })
  expect(await readGenesisHash(source)).toBe(chainOf(3).at(0).header.hash)
})

/*
 * The confirmed block of a tip is kept while the head stands still. Shown with a wrong hash once, it spoke of a reorg that no provider knew
 * of, for as long as no new block came.
 */
it('a confirmed block with a wrong hash is asked for again though the head stands still', async () => {
  const chain = chainOf(10)
  const index = createMemoryIndex({ contracts: [contract] })
  let wrong = false
  const intercept: ChainRpcOptions['intercept'] = (_, { method, params }, answer) => {
    const said = answer()
    if (!wrong || method !== 'eth_getBlockByNumber' || Number(params[0]) !== 7) return said
    wrong = false
    return { ...(said as object), hash: WRONG }
  }
  const running = runIndexer({ rpc: createChainRpc([chain], { intercept }), index, confirmations: 3, maxReorgDepth: 8 })
  await running.until(() => index.cursor() === 7, 'it follows')
  wrong = true
  chain.drop(1)
  chain.mine()
  await running.until(() => running.indexer.view.state().reason !== null, 'the wrong hash is shown')
  await running.until(() => running.indexer.view.state().reason === null, 'it has come out of it')
  expect(index.batches.at(-1)?.to.hash).toBe(chain.at(7).header.hash)
  await running.indexer.stop()
})

/*
 * A tip of another, longer chain let a backfill come closer to the head than what can be undone: the next reorg was below what is kept, and
 * the index stood ahead of the chain without a word.
 */
it('a backfill does not go as far as a tip that is not of its chain says', async () => {
  const chain = chainOf(30)
  const longer = createSimulatedChain()
  longer.drop(1)
  for (let count = 0; count <= 36; count++) longer.mine()
  const index = createMemoryIndex({ contracts: [contract] })
  let tips = 0
  const intercept: ChainRpcOptions['intercept'] = (_, { method, params }, answer) =>
    params[0] === 'latest' && ++tips === 1 ? longer.answer(method, params) : answer()
  const running = runIndexer({
    rpc: createChainRpc([chain], { intercept }),
    index,
    maxReorgDepth: 10,
    followBlocks: 10,
    backfillBounds: { leastBlocks: 1, mostBlocks: 100, targetLogs: 10 },
  })
  await running.until(() => index.cursor() === 30, 'it is indexed')
  expect(index.batches.filter(({ live }) => !live).at(-1)?.to.number).toBe(20)
  await running.indexer.stop()
})

/* The chain had left the index behind as far as a provider showed it for a moment, and indexing never began again, also when it was back. */
it('indexing goes on when a chain that had left the index behind is back', async () => {
  const chain = chainOf(10)
  const other = createSimulatedChain()
  other.drop(1)
  for (let count = 0; count <= 12; count++) other.mine()
  let elsewhere = false
  const intercept: ChainRpcOptions['intercept'] = (_, { method, params }, answer) => (elsewhere ? other.answer(method, params) : answer())
  const index = createMemoryIndex({ contracts: [contract] })
  const running = runIndexer({ rpc: createChainRpc([chain], { intercept }), index, maxReorgDepth: 4 })
  await running.until(() => index.cursor() === 10, 'it follows')
  elsewhere = true
  await running.until(() => running.indexer.view.state().stalled, 'it has stopped')
  elsewhere = false
  chain.mine()
  await running.until(() => index.cursor() === 11 && !running.indexer.view.state().stalled, 'it goes on')
  expect(running.indexer.view.state().reorgs.count).toBe(1)
  expect(running.log.lines().filter(({ level }) => level === 60)).toHaveLength(1)
  await running.indexer.stop()
})
