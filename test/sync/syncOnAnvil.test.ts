import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createChainSource } from '#chain/chainSource.ts'
import { type Anvil, startAnvil } from '#devchain/anvil.ts'
import { startWatchdog, type Watchdog } from '#devchain/startWatchdog.ts'
import { createRandom } from '#devchain/traders/random.ts'
import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { createRpc, type Rpc } from '#rpc/rpc.ts'
import { createSync, type Sync } from '#sync/sync.ts'
import { createEmitterChain, type EmitterChain } from '#test/support/emitter.ts'
import { type FakeProvider, relayTo, startFakeProvider } from '#test/support/fakeProvider.ts'
import { readLogs } from '#test/support/indexChain.ts'
import { createLogLines, type LogLines } from '#test/support/logLines.ts'
import { createMemoryIndex, type MemoryIndex, watchedLogs } from '#test/support/memoryCommitter.ts'

let watchdog: Watchdog
let anvil: Anvil
let chain: EmitterChain
/** The first one is the launchpad; it announces the others. */
let emitters: readonly Address[]
const open: { close(): void | Promise<void> }[] = []

beforeAll(() => {
  watchdog = startWatchdog()
})
afterAll(() => watchdog.stop())
beforeEach(async () => {
  anvil = await startAnvil({ watchdog })
  chain = await createEmitterChain(anvil)
  emitters = []
  for (let count = 0; count < 5; count++) emitters = [...emitters, await chain.deployEmitter()]
})
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
  await anvil.stop()
})

const word = (value: number | bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`

const headNumber = async () => Number(await chain.client.getBlockNumber())

/** What a plain client reads from the chain. */
const expectedLogs = async (to: number): Promise<readonly ChainLog[]> => {
  return watchedLogs(await readLogs(chain, 0, to), emitters.slice(0, 1))
}

const memoryIndex = () => createMemoryIndex({ contracts: emitters.slice(0, 1) })

interface Running {
  readonly sync: Sync
  readonly rpc: Rpc
  readonly log: LogLines
  readonly emitted: number[]
}

const indexedUpTo = (index: MemoryIndex, block: number) => expect.poll(() => index.cursor(), { interval: 20 }).toBe(block)

describe('the indexer on a real chain', () => {
  it.each([1, 2])('backfills and then follows, every log once and in order (seed %i)', async seed => {
    const random = createRandom(seed).unit
    await live(300, random)
    const index = memoryIndex()
    const { sync, emitted } = await run(index, [anvil.url], 2)
    await indexedUpTo(index, (await headNumber()) - 2)
    for (let step = 0; step < 4; step++) {
      await live(1 + Math.floor(random() * 12), random)
      await indexedUpTo(index, (await headNumber()) - 2)
    }
    const end = (await headNumber()) - 2
    expect(index.logs).toEqual(await expectedLogs(end))
    expect(index.logs.length).toBeGreaterThan(30)
    await expect.poll(() => emitted.at(-1)).toBe(end)
    expect(emitted).toEqual(index.batches.map(({ to }) => to.number))
    expect(sync.view.state()).toMatchObject({
      indexedBlock: end,
      lagBlocks: 0,
      lagSeconds: 0,
      stalled: false,
      backfill: null,
      reason: null,
    })
    expect(sync.view.chain()).toMatchObject({ headBlock: end + 2, baseFeeGwei: expect.stringMatching(/^0\.\d+$/) as unknown })
  })

  it('changes the provider in the middle of a range and goes on, and the health tells', async () => {
    await live(400, createRandom(3).unit)
    const dying = await relay()
    let calls = 0
    dying.setMisbehaviour(({ method }) => (method === 'eth_getLogs' && ++calls > 1 ? { kind: 'reset' } : undefined))
    const index = memoryIndex()
    const { sync, log } = await run(index, [dying.url, anvil.url])
    const head = await headNumber()
    await indexedUpTo(index, head)
    expect(index.logs).toEqual(await expectedLogs(head))
    expect(calls).toBeGreaterThan(1)
    expect(sync.view.state().rpc.map(({ name }) => name)).toEqual(['rpc-1', 'rpc-2'])
    expect(sync.view.state().rpc[0]?.errorRate).toBeGreaterThan(0)
    expect(log.text()).not.toContain(dying.secret)
  })

  it('keeps the limits of a provider that allows little', async () => {
    await live(200, createRandom(4).unit)
    const narrow = await relay()
    narrow.setMisbehaviour(({ method, params }) => {
      const { fromBlock, toBlock } = (params[0] ?? {}) as { fromBlock?: string; toBlock?: string }
      const tooWide = method === 'eth_getLogs' && fromBlock !== undefined && Number(toBlock) - Number(fromBlock) >= 17
      return tooWide ? { kind: 'error', code: -32614, message: 'eth_getLogs is limited to a 17 range' } : undefined
    })
    const index = memoryIndex()
    await run(index, [narrow.url])
    const head = await headNumber()
    await indexedUpTo(index, head)
    expect(index.logs).toEqual(await expectedLogs(head))
  })

  it('goes on from the cursor after a restart in the middle of a backfill', async () => {
    await live(600, createRandom(5).unit)
    const head = await headNumber()
    const index = memoryIndex()
    const first = await run(index, [anvil.url])
    await expect.poll(() => index.cursor() ?? 0, { interval: 5 }).toBeGreaterThan(0)
    await first.sync.stop()
    const again = index.reopen()
    await run(again, [anvil.url])
    await indexedUpTo(again, head)
    expect(index.logs).toEqual(await expectedLogs(head))
    for (const [at, { from }] of index.batches.entries()) expect(from).toBe(at === 0 ? 0 : (index.batches[at - 1]?.to.number ?? 0) + 1)
  })

  it('sees new heads over WebSocket', async () => {
    await live(20, createRandom(6).unit)
    const index = memoryIndex()
    await run(index, [anvil.url.replace('http', 'ws')])
    await indexedUpTo(index, await headNumber())
    await live(10, createRandom(7).unit)
    const head = await headNumber()
    await indexedUpTo(index, head)
    expect(index.logs).toEqual(await expectedLogs(head))
  })

  it('stops at a reorg of indexed blocks, says so and indexes nothing of the other fork', async () => {
    await live(30, createRandom(8).unit)
    const index = memoryIndex()
    const { sync, log } = await run(index, [anvil.url])
    const head = await headNumber()
    await indexedUpTo(index, head)
    const before = [...index.logs]
    await chain.client.request({ method: 'anvil_reorg', params: [5, []] } as never)
    await chain.mine(2)
    await expect.poll(() => sync.view.state().stalled).toBe(true)
    expect(sync.view.state()).toMatchObject({
      indexedBlock: head,
      reason: expect.stringContaining(`the chain has replaced 5 indexed block(s) up to block ${head}; indexing has stopped`) as unknown,
      reorgs: { count: 1, lastDepth: 5 },
    })
    expect(index.logs).toEqual(before)
    expect(log.lines().filter(({ level }) => level === 60)).toHaveLength(1)
  })

  it('waits when the chain is rolled back below what is indexed, and goes on with the same blocks', async () => {
    await live(30, createRandom(9).unit)
    const index = memoryIndex()
    const lagging = await relay()
    const { sync } = await run(index, [lagging.url])
    const head = await headNumber()
    await indexedUpTo(index, head)
    const old = head - 4
    const oldBlock = await relayTo(anvil.url).answer('eth_getBlockByNumber', [`0x${old.toString(16)}`, false])
    lagging.setMisbehaviour(({ method, params }) =>
      method === 'eth_getBlockByNumber' && params[0] === 'latest' ? { kind: 'result', result: oldBlock } : undefined,
    )
    await expect.poll(() => sync.view.state().headBlock).toBe(old)
    expect(sync.view.state()).toMatchObject({ indexedBlock: head, lagBlocks: 0, stalled: false })
    lagging.setMisbehaviour(undefined)
    await live(5, createRandom(10).unit)
    await indexedUpTo(index, await headNumber())
    expect(index.logs).toEqual(await expectedLogs(await headNumber()))
  })
})

describe('blocks of a real chain', () => {
  it('have the bloom of their logs, and are read as a plain client reads them', async () => {
    await live(60, createRandom(11).unit)
    const rpc = createRpc({ urls: [anvil.url], chainId: null, logger: createLogLines().logger })
    open.push({ close: rpc.close })
    const source = createChainSource({ rpc })
    const head = await headNumber()
    const logs: ChainLog[] = []
    for (let number = 0; number <= head; number++) logs.push(...(await source.blockWithLogs(number)).logs)
    const all = await chain.client.getLogs({ fromBlock: 0n, toBlock: BigInt(head) })
    expect(logs.map(({ txHash, logIndex }) => [txHash, logIndex])).toEqual(all.map(log => [log.transactionHash, log.logIndex]))
    expect(logs.length).toBeGreaterThan(10)
    for (const confirmations of [0, 5, 'safe', 'finalized'] as const) {
      const tip = await createChainSource({ rpc }).tip({ confirmations, announced: false, next: null })
      expect(tip.head.number).toBe(head)
      const tag = typeof confirmations === 'string' ? { blockTag: confirmations } : { blockNumber: BigInt(head - confirmations) }
      expect(tip.confirmed.hash).toBe((await chain.client.getBlock(tag)).hash)
    }
  })
})

/** Mines blocks in which the emitters speak at random, most of them silent; each is announced at some time. */
const live = async (blocks: number, random: () => number): Promise<void> => {
  const launchpad = emitters[0] ?? expect.unreachable()
  let left = blocks
  while (left > 0) {
    for (let count = Math.floor(random() * 4); count > 0; count--) {
      const emitter = emitters[Math.floor(random() * emitters.length)] ?? launchpad
      const announces = emitter === launchpad && random() < 0.7
      const announced = emitters[Math.floor(random() * emitters.length)] ?? launchpad
      const data: Hex = announces ? word(BigInt(announced)) : `0x${'5a'.repeat(Math.floor(random() * 30))}`
      await chain.emit(emitter, word(Math.floor(random() * 1e9)), data)
    }
    const mined = Math.min(left, 1 + Math.floor(random() * 9))
    await chain.mine(mined)
    left -= mined
  }
}

const run = async (index: MemoryIndex, urls: readonly string[], confirmations = 0): Promise<Running> => {
  const log = createLogLines()
  const rpc = createRpc({ urls, chainId: 31337, logger: log.logger })
  await rpc.connect()
  const { committer, watchlist } = index
  const source = createChainSource({ rpc })
  const genesisHash = (await source.header(0)).hash
  const sync = createSync({ rpc, source, committer, watchlist, genesisHash, maxReorgDepth: 0, confirmations, logger: log.logger })
  const emitted: number[] = []
  sync.blocks.subscribe(({ number }) => emitted.push(number))
  open.push({
    close: async () => {
      await sync.stop()
      rpc.close()
    },
  })
  return { sync, rpc, log, emitted }
}

const relay = async (): Promise<FakeProvider> => {
  const provider = await startFakeProvider({ chain: relayTo(anvil.url) })
  open.push({ close: provider.stop })
  return provider
}
