import { numberToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { createChainSource } from '#chain/chainSource.ts'
import { fetchRange } from '#sync/prefetch.ts'
import { readGenesisHash } from '#sync/replacement.ts'
import { type ChainRpcOptions, createChainRpc } from '#test/support/chainRpc.ts'
import { type RunningSync, runSync } from '#test/support/indexing.ts'
import { createMemoryIndex } from '#test/support/memoryCommitter.ts'
import { createSimulatedChain, type SimulatedChain, type SimulatedChainOptions, testAddress } from '#test/support/simulatedChain.ts'

/* Each of these tests is about one wrong answer of a provider that had lasting consequences. */

const contract = testAddress(0)
const WRONG = `0x${'ab'.repeat(32)}`

function chainOf(blocks: number, options: SimulatedChainOptions = {}): SimulatedChain {
  const chain = createSimulatedChain(options)
  for (let count = 0; count < blocks; count++) chain.mine()
  return chain
}

/** Changes the block's hash in the nth answer that contains it. */
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
 * The indexer took a range's last header from the request that should have verified it. Its wrong hash became the cursor, and a backfilled
 * range can't be undone: indexing stopped for good with "the chain has replaced at least 1 indexed block".
 */
it.each([1, 2, 3])('a range is rejected when answer number %i shows its end with a wrong hash', async nth => {
  const source = createChainSource({ rpc: createChainRpc([chainOf(20)], wrongHash(10, nth)) })
  const { watchlist } = createMemoryIndex({ contracts: [contract] })
  await expect(fetchRange(source, watchlist, { from: 5, to: 10, announced: [], maxLogs: 10 })).rejects.toMatchObject({
    code: 'rpc_inconsistent',
  })
})

/*
 * A provider switched to another chain between the first and the last header of a range without logs. The other chain's block became
 * the cursor.
 */
it('a range that starts on one chain and ends on another is rejected', async () => {
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

/* The genesis hash, by which a database knows its chain, came from one answer. It was wrong, and the next start refused the database. */
it('one wrong answer does not decide the genesis hash', async () => {
  const source = createChainSource({ rpc: createChainRpc([chainOf(3)], wrongHash(0, 1)) })
  await expect(readGenesisHash(source)).rejects.toMatchObject({ code: 'rpc_inconsistent', retryable: true })
  expect(await readGenesisHash(source)).toBe(chainOf(3).at(0).header.hash)
})

/*
 * The indexer keeps a tip's confirmed block while the head is unchanged. One answer with a wrong hash looked like a reorg that no
 * provider knew, until a new block came.
 */
it('a confirmed block with a wrong hash is fetched again while the head is unchanged', async () => {
  const chain = chainOf(10)
  const index = createMemoryIndex({ contracts: [contract] })
  let wrong = false
  const intercept: ChainRpcOptions['intercept'] = (_, { method, params }, answer) => {
    const said = answer()
    if (!wrong || method !== 'eth_getBlockByNumber' || Number(params[0]) !== 7) return said
    wrong = false
    return { ...(said as object), hash: WRONG }
  }
  const running = runSync({ rpc: createChainRpc([chain], { intercept }), index, confirmations: 3, maxReorgDepth: 8 })
  await running.until(() => index.cursor() === 7, 'it follows')
  wrong = true
  chain.drop(1)
  chain.mine()
  await running.until(() => running.sync.view.state().reason !== null, 'the wrong hash is noticed')
  await running.until(() => running.sync.view.state().reason === null, 'it has recovered')
  expect(index.batches.at(-1)?.to.hash).toBe(chain.at(7).header.hash)
  await running.sync.stop()
})

/*
 * The tip of another, longer chain let the backfill index blocks within the reorg depth without before-images. The next reorg was
 * deeper than the before-images, and the index stayed ahead of the chain without an error.
 */
it('a backfill ignores the tip of another chain', async () => {
  const chain = chainOf(30)
  const longer = createSimulatedChain()
  longer.drop(1)
  for (let count = 0; count <= 36; count++) longer.mine()
  const index = createMemoryIndex({ contracts: [contract] })
  let tips = 0
  const intercept: ChainRpcOptions['intercept'] = (_, { method, params }, answer) =>
    params[0] === 'latest' && ++tips === 1 ? longer.answer(method, params) : answer()
  const running = runSync({
    rpc: createChainRpc([chain], { intercept }),
    index,
    maxReorgDepth: 10,
    tuning: { followBlocks: 10, ranges: { minBlocks: 1, maxBlocks: 100, targetLogs: 10 } },
  })
  await running.until(() => index.cursor() === 30, 'it is indexed')
  expect(index.batches.filter(({ mode }) => mode === 'range').at(-1)?.to.number).toBe(20)
  await running.sync.stop()
})

/* A provider showed another chain for a moment. Indexing stopped because of a reorg that is too deep, and never resumed. */
it('indexing resumes when a provider that showed another chain shows the indexed one again', async () => {
  const chain = chainOf(10)
  const other = createSimulatedChain()
  other.drop(1)
  for (let count = 0; count <= 12; count++) other.mine()
  let elsewhere = false
  const intercept: ChainRpcOptions['intercept'] = (_, { method, params }, answer) => (elsewhere ? other.answer(method, params) : answer())
  const index = createMemoryIndex({ contracts: [contract] })
  const running = runSync({ rpc: createChainRpc([chain], { intercept }), index, maxReorgDepth: 4 })
  await running.until(() => index.cursor() === 10, 'it follows')
  elsewhere = true
  await running.until(() => running.sync.view.state().stalled, 'it has stopped')
  elsewhere = false
  chain.mine()
  await running.until(() => index.cursor() === 11 && !running.sync.view.state().stalled, 'it goes on')
  expect(running.sync.view.state().reorgs.count).toBe(1)
  expect(running.log.lines().filter(({ level }) => level === 60)).toHaveLength(1)
  await running.sync.stop()
})

/*
 * A provider showed every block's time an hour ahead for 16 s. Trades and candles kept that time, and windows that they had never entered
 * lost them: `buys: -3`.
 */
describe('a provider that shifts time', () => {
  /** The first provider shifts its blocks' times. */
  const shiftedBy = (seconds: () => number): ChainRpcOptions => ({
    intercept: (provider, { method }, answer) => {
      const said = answer() as Readonly<Record<string, string>> | null
      if (provider !== 'rpc-1' || method !== 'eth_getBlockByNumber' || said === null) return said
      return { ...said, timestamp: numberToHex(Number(said['timestamp']) + seconds()) }
    },
  })
  const timesOf = (chain: SimulatedChain, to: number) => Array.from({ length: to + 1 }, (_, number) => chain.at(number).header.timestamp)
  const reasonOf = ({ sync }: RunningSync) => sync.view.state().reason

  it.each([
    ['forwards while it is followed', 3_600, 0],
    ['back while it is followed', -3_600, 0],
    ['forwards in a backfill', 3_600, 20],
    ['back in a backfill', -3_600, 20],
  ])('%s commits nothing once its chain has proven a header', async (_, seconds, more) => {
    const chain = chainOf(4)
    let shift = 0
    const index = createMemoryIndex({ contracts: [contract] })
    const tuning = { followBlocks: 4, ranges: { minBlocks: 1, maxBlocks: 5, targetLogs: 10 } }
    const running = runSync({
      rpc: createChainRpc(
        [chain],
        shiftedBy(() => shift),
      ),
      index,
      maxReorgDepth: 4,
      tuning,
    })
    await running.until(() => index.cursor() === 4, 'it follows')
    shift = seconds
    for (let count = 0; count <= more; count++) chain.mine()
    await running.until(() => reasonOf(running) !== null, 'the shift is noticed')
    expect(running.log.text()).toContain('is not that of its fields')
    expect(index.cursor()).toBe(4)
    shift = 0
    await running.until(() => index.cursor() === 5 + more, 'it goes on')
    expect(running.emitted.map(({ number, timestamp }) => timestamp - chain.at(number).header.timestamp)).not.toContain(seconds)
    expect(timesOf(chain, 5 + more)).toEqual(expect.arrayContaining(running.emitted.map(({ timestamp }) => timestamp)))
    await running.sync.stop()
  })

  it('is outvoted by the next provider without delay', async () => {
    const chain = chainOf(4)
    const index = createMemoryIndex({ contracts: [contract] })
    let shift = 0
    const running = runSync({
      rpc: createChainRpc(
        [chain, chain],
        shiftedBy(() => shift),
      ),
      index,
      maxReorgDepth: 4,
    })
    await running.until(() => index.cursor() === 4, 'it follows')
    shift = 3_600
    chain.mine()
    await running.until(() => index.cursor() === 5, 'it goes on')
    expect(running.emitted.at(-1)?.timestamp).toBe(chain.head().header.timestamp)
    await running.sync.stop()
  })

  // It stopped at the first such block, and every provider was said to be inconsistent.
  it.each([true, false])('goes on where the times of a chain fall, and says so once; headers prove it: %s', async provesHeaders => {
    const chain = chainOf(4, { provesHeaders })
    const rpc = createChainRpc([chain, chain])
    const index = createMemoryIndex({ contracts: [contract] })
    const running = runSync({ rpc, index, maxReorgDepth: 4, genesisHash: chain.at(0).header.hash })
    await running.until(() => index.cursor() === 4, 'it follows')
    for (const [number, seconds] of [-3_600, 0, -1, 7_200, -86_401].entries()) {
      chain.mine([], seconds)
      await running.until(() => index.cursor() === 5 + number, 'it goes on')
      expect(running.emitted.at(-1)?.timestamp).toBe(chain.head().header.timestamp)
    }
    const { warnings, rpc: providers, stalled } = running.sync.view.state()
    expect(warnings.filter(one => one.includes('fall, first seen at block 5'))).toHaveLength(1)
    expect(running.log.text().split('first seen at block')).toHaveLength(2)
    expect(running.log.text()).not.toMatch(/inconsistent|failed/)
    expect({ stalled, sound: providers.map(({ healthy }) => healthy) }).toEqual({ stalled: false, sound: [true, true] })
    expect(running.sync.view.chain().blockTimeMs).toBeGreaterThanOrEqual(0)
    await running.sync.stop()
  })

  describe('of a chain whose headers prove nothing', () => {
    const run = async (shifts: () => number, providers = 1, options: SimulatedChainOptions = {}) => {
      const chain = chainOf(4, { provesHeaders: false, ...options })
      const index = createMemoryIndex({ contracts: [contract] })
      const rpc = createChainRpc(
        Array.from({ length: providers }, () => chain),
        shiftedBy(shifts),
      )
      const running = runSync({ rpc, index, maxReorgDepth: 4, genesisHash: chain.at(0).header.hash })
      await running.until(() => index.cursor() === 4, 'it follows')
      return { chain, index, running }
    }

    it.each([
      ['ahead of the clock', 1, 3_600, 'ahead of the clock', { genesisTimestamp: Math.floor(Date.now() / 1_000) - 100 }],
      ['unlike another provider', 2, 30, 'providers show different headers of block 5', {}],
    ] as const)('commits nothing with a time %s', async (_, providers, seconds, reason, options) => {
      let shift = 0
      const { chain, index, running } = await run(() => shift, providers, options)
      shift = seconds
      chain.mine()
      await running.until(() => running.log.text().includes(reason), 'the shift is noticed')
      expect(index.cursor()).toBe(4)
      shift = 0
      await running.until(() => index.cursor() === 5, 'it goes on')
      expect(running.emitted.at(-1)?.timestamp).toBe(chain.head().header.timestamp)
      await running.sync.stop()
    })
  })
})
