import { afterEach, describe, expect, it } from 'vitest'
import { type ChainRpcOptions, createChainRpc } from '#test/support/chainRpc.ts'
import { type RunningSync, runSync } from '#test/support/indexing.ts'
import { createMemoryIndex, type MemoryIndex } from '#test/support/memoryCommitter.ts'
import { createSimulatedChain, type SimulatedChain, testAddress } from '#test/support/simulatedChain.ts'

/*
 * Every block is tied to the one before it, except the one with which an index begins. A provider that was wrong about that one stopped
 * indexing for good: none of the indexed blocks was on the chain, and that was taken for a reorg deeper than the maximum.
 */

const START_BLOCK = 5
const MAX_DEPTH = 8

let running: RunningSync | null = null
afterEach(async () => {
  await running?.sync.stop()
})

interface Started extends RunningSync {
  readonly index: MemoryIndex
}

function start(chains: readonly SimulatedChain[], genesis: SimulatedChain, options: ChainRpcOptions = {}): Started {
  const index = createMemoryIndex({ contracts: [testAddress(0)], startBlock: START_BLOCK })
  const genesisHash = genesis.at(0).header.hash
  running = runSync({ rpc: createChainRpc(chains, options), index, genesisHash, confirmations: 1, maxReorgDepth: MAX_DEPTH })
  return { ...running, index }
}

function grown(blocks: number, genesis: 'own' | 'another' = 'own', provesHeaders = true): SimulatedChain {
  const chain = createSimulatedChain({ provesHeaders })
  if (genesis === 'another') {
    chain.drop(1)
    chain.mine()
  }
  for (let block = 0; block < blocks; block++) chain.mine()
  return chain
}

const hashes = (index: MemoryIndex) => index.committer.recentBlocks().then(blocks => blocks.map(({ hash }) => hash))
const canonical = (chain: SimulatedChain, to: number) =>
  Array.from({ length: to - START_BLOCK + 1 }, (_, above) => chain.at(START_BLOCK + above).header.hash)

describe('the first indexed block', () => {
  it('is not believed on one answer', async () => {
    const chain = grown(START_BLOCK + 1, 'own', false)
    let lies = 0
    const { index, until, emitted, log } = start([chain], chain, {
      intercept: (_, { method, params }, answer) => {
        // Nor does it say of the made-up block that it knows none.
        if (method === 'eth_getLogs') return []
        const told = answer()
        if (method !== 'eth_getBlockByNumber' || Number(params[0]) !== START_BLOCK || lies > 0) return told
        lies++
        return { ...(told as object), hash: `0x${'1e'.repeat(32)}` }
      },
    })
    await until(() => index.cursor() === START_BLOCK, 'it is indexed')
    expect(lies).toBe(1)
    expect(emitted.map(({ hash }) => hash)).toEqual([chain.at(START_BLOCK).header.hash])
    expect(log.text()).toMatch(new RegExp(`two answers to what block ${START_BLOCK} is|another block ${START_BLOCK}`))
  })

  it.each([
    ['followed', 2],
    ['backfilled', 100],
  ])('is not taken from another chain, when it is %s', async (_, more) => {
    const chain = grown(START_BLOCK + more)
    const other = grown(START_BLOCK + more, 'another')
    let shown = other
    const { index, until, emitted, log } = start([{ ...chain, answer: (method, params) => shown.answer(method, params) }], chain)
    await until(() => /a chain with another first block/.test(log.text()), 'it says why')
    expect(emitted).toEqual([])
    shown = chain
    await until(() => index.cursor() === START_BLOCK + more - 1, 'the right chain is indexed')
    expect((await hashes(index)).at(-1)).toBe(chain.at(START_BLOCK + more - 1).header.hash)
  })

  it('is replaced like every other one, with all that follow on it', async () => {
    const chain = grown(START_BLOCK + MAX_DEPTH)
    const { index, until, sync } = start([chain], chain)
    await until(() => index.cursor() === START_BLOCK + MAX_DEPTH - 1, 'it is indexed')
    chain.drop(MAX_DEPTH + 2)
    for (let block = 0; block < MAX_DEPTH + 4; block++) chain.mine()
    await until(() => index.cursor() === START_BLOCK + MAX_DEPTH + 1, 'the fork is indexed')
    const recent = await index.committer.recentBlocks()
    expect(recent.at(-1)?.number).toBe(START_BLOCK + MAX_DEPTH + 1)
    expect(recent.map(({ hash }) => hash)).toEqual(recent.map(({ number }) => chain.at(number).header.hash))
    expect(sync.view.state()).toMatchObject({ reorgs: { count: 1, lastDepth: MAX_DEPTH }, stalled: false, reason: null })
  })

  it('stays while the chain that replaces it has no confirmed block to put in its place', async () => {
    const chain = grown(START_BLOCK + 3)
    const { index, until, log, settle } = start([chain], chain)
    await until(() => index.cursor() === START_BLOCK + 2, 'it is indexed')
    const before = await hashes(index)
    chain.drop(5)
    chain.mine()
    chain.mine()
    await until(() => log.text().includes(`a confirmed block ${START_BLOCK}`), 'it says what is missing')
    await settle()
    expect(await hashes(index)).toEqual(before)
    chain.mine()
    await until(() => index.cursor() === START_BLOCK, 'the fork is indexed')
    expect(await hashes(index)).toEqual(canonical(chain, START_BLOCK))
  })

  it('stops indexing when more than can be undone would have to be', async () => {
    const chain = grown(START_BLOCK + MAX_DEPTH + 1)
    const { index, until, sync } = start([chain], chain)
    await until(() => index.cursor() === START_BLOCK + MAX_DEPTH, 'it is indexed')
    chain.drop(MAX_DEPTH + 3)
    for (let block = 0; block < MAX_DEPTH + 4; block++) chain.mine()
    await until(() => sync.view.state().stalled, 'it stops')
    expect(sync.view.state().reason).toMatch(new RegExp(`^the chain has replaced ${MAX_DEPTH + 1} indexed block`))
  })
})
