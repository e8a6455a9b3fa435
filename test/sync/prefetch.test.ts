import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createChainSource } from '#chain/chainSource.ts'
import type { ChainLog } from '#domain/block.ts'
import type { RpcCall } from '#rpc/rpcEndpoint.ts'
import type { Committer } from '#sync/committer.ts'
import { createPrefetch, nextRangeBlocks } from '#sync/prefetch.ts'
import { spanAt } from '#sync/state.ts'
import { createChainRpc } from '#test/support/chainRpc.ts'
import { createMemoryIndex, projectedBatch } from '#test/support/memoryCommitter.ts'
import { createSimulatedChain, type NewLog, testAddress } from '#test/support/simulatedChain.ts'

const HEAD = 160
const FOLLOW_BLOCKS = 60
const launchpad = testAddress(0)
const announce = (index: number): NewLog => ({ address: launchpad, data: `0x${testAddress(index).slice(2).padStart(64, '0')}` })
const speak = (index: number): NewLog => ({ address: testAddress(index) })
const ranges = { minBlocks: 1, maxBlocks: 10, targetLogs: 100 }

interface Settings {
  /** Called with the first blocks of a batch that is prepared and of the one before it. */
  onPrepare(from: number, previous: number | null): void
  readonly startBlock: number
  readonly liveBlocks: number
  /** Whether the question for logs from that block on fails. */
  fail(from: number): boolean
}

describe('prefetching batches', () => {
  it('are fetched two ahead and no more', async () => {
    const { next, queried } = open(() => [])
    expect((await next(1)).batch).toMatchObject({ from: 1, to: { number: 10 }, mode: 'range' })
    await expect.poll(() => queried).toEqual(['1-10', '11-20', '21-30'])
    await next(11)
    await expect.poll(() => queried).toEqual(['1-10', '11-20', '21-30', '31-40'])
  })

  it('go from ranges to runs to single blocks, each taken up where the one before it ended', async () => {
    const { next } = open(() => [])
    const taken: string[] = []
    for (let from = 1; from <= HEAD; ) {
      const { batch } = await next(from)
      expect(batch.first.number).toBe(from)
      taken.push(`${from}-${batch.to.number} ${batch.mode}`)
      from = batch.to.number + 1
    }
    const ranges = Array.from({ length: 10 }, (_, index) => `${index * 10 + 1}-${index * 10 + 10} range`)
    const blocks = Array.from({ length: 9 }, (_, index) => `${152 + index}-${152 + index} live`)
    expect(taken).toEqual([...ranges, '101-132 catchUp', '133-151 catchUp', ...blocks])
  })

  it('know what the two before them announced, though nothing is committed', async () => {
    const { next } = open(number => {
      if (number === 5) return [announce(7), speak(7)]
      if (number === 15) return [speak(7), announce(8)]
      return number === 25 || number === 105 ? [speak(7), speak(8), speak(9)] : []
    })
    await next(1)
    expect((await next(11)).logs).toEqual([
      [testAddress(7), 15],
      [launchpad, 15],
    ])
    expect((await next(21)).logs).toEqual([
      [testAddress(7), 25],
      [testAddress(8), 25],
    ])
  })

  it('of blocks know what was announced before them, too', async () => {
    const { next } = open(number => (number === 95 ? [announce(7)] : number === 105 ? [speak(7), announce(8)] : [speak(8)]))
    await next(91)
    const run = await next(101)
    expect(run.logs.slice(0, 3)).toEqual([
      [testAddress(7), 105],
      [launchpad, 105],
      [testAddress(8), 106],
    ])
    expect((await next(133)).logs).toHaveLength(19)
  })

  it('are prepared each on the one before it, where it was prepared itself', async () => {
    const prepared: string[] = []
    const { next } = open(() => [], { onPrepare: (from, previous) => prepared.push(`${from} on ${previous ?? 'what is committed'}`) })
    await next(81)
    await next(91)
    await expect.poll(() => prepared).toEqual(['81 on what is committed', '91 on 81', '101 on 91'])
    await next(101)
    await next(133)
    await next(152)
    // A single block is prepared when everything before it is committed.
    expect(prepared.slice(3)).toEqual(['133 on 101', '152 on what is committed'])
  })

  it('wait for their turn where a fork may still replace the blocks', async () => {
    const { next, blocks } = open(() => [speak(1)])
    await next(133)
    await expect.poll(blocks).toBe(19)
    await next(152)
    expect(blocks()).toBe(20)
    await next(153)
    expect(blocks()).toBe(21)
  })

  it('wait for their turn there also where all blocks would be committed together', async () => {
    const { next, blocks } = open(() => [speak(1)], { liveBlocks: 0 })
    await next(101)
    await expect.poll(blocks).toBe(52)
    expect((await next(133)).batch.to.number).toBe(152)
    expect(blocks()).toBe(52)
  })

  it('wait for a single block before them, whose changes are known once it is committed', async () => {
    const { next, blocks } = open(() => [speak(1)], { startBlock: 101 })
    expect((await next(101)).batch.to.number).toBe(101)
    for (let turns = 0; turns < 200; turns++) await turn()
    expect(blocks()).toBe(1)
    expect((await next(102)).batch).toMatchObject({ from: 102, to: { number: 133 } })
  })

  it('are fetched anew where the confirmed head has gone back, and they would go too far', async () => {
    const { next, queried } = open(() => [])
    await next(81)
    await expect.poll(() => queried).toEqual(['81-90', '91-100'])
    expect((await next(91, HEAD - 7)).batch).toMatchObject({ from: 91, to: { number: 93 }, mode: 'range' })
    expect(queried).toContain('91-93')
  })

  it('are fetched anew once they are forgotten', async () => {
    const { next, discard, queried, chain } = open(() => [])
    await next(1)
    await expect.poll(() => queried).toHaveLength(3)
    chain.drop(HEAD - 15)
    for (let number = 16; number <= HEAD; number++) chain.mine([])
    discard()
    expect((await next(11)).batch.to).toEqual(chain.at(20).header)
    expect((await next(21)).batch.first).toEqual(chain.at(21).header)
  })

  it('prepare and fetch nothing more of what is forgotten', async () => {
    const prepared: number[] = []
    const { next, discard, queried } = open(() => [], { onPrepare: from => prepared.push(from) })
    await next(1)
    discard()
    await expect.poll(() => queried).toContain('11-20')
    await next(31)
    await expect.poll(() => queried).toContain('51-60')
    expect(queried).not.toContain('21-30')
    expect(prepared).toEqual([1, 31, 41])
  })

  it('keep the failure of one ahead until its turn', async () => {
    let isBroken = true
    const { next, discard } = open(() => [], { fail: from => isBroken && from === 21 })
    await next(1)
    await expect(next(11)).resolves.toMatchObject({ batch: { from: 11 } })
    await expect(next(21)).rejects.toThrow('broken')
    isBroken = false
    discard()
    await expect(next(21)).resolves.toMatchObject({ batch: { from: 21 } })
  })
})

describe('the size of the next range', () => {
  it('follows from what the last ranges held', async () => {
    const { next, rangeBlocks } = open(number => (number <= 60 ? [] : Array.from({ length: 50 }, () => speak(0))))
    expect(rangeBlocks()).toBe(10)
    await next(61)
    await expect.poll(rangeBlocks).toBe(2)
  })

  const bounds = { minBlocks: 1, maxBlocks: 50_000, targetLogs: 20_000 }
  it('is what would hold the target', () => {
    expect(nextRangeBlocks(1_000, 10_000, bounds)).toBe(2_000)
    expect(nextRangeBlocks(1_000, 100_000, bounds)).toBe(200)
  })

  it('grows fourfold at most', () => {
    expect(nextRangeBlocks(500, 0, bounds)).toBe(2_000)
    expect(nextRangeBlocks(500, 3, bounds)).toBe(2_000)
  })

  it('stays within its bounds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50_000 }), fc.nat({ max: 10_000_000 }), (blocks, logs) => {
        const next = nextRangeBlocks(blocks, logs, bounds)
        expect(Number.isSafeInteger(next)).toBe(true)
        expect(next).toBeGreaterThanOrEqual(1)
        expect(next).toBeLessThanOrEqual(50_000)
      }),
    )
  })
})

/** Ranges of ten blocks up to block 100, then runs, and from block 152 on single blocks. */
function open(logs: (number: number) => readonly NewLog[], given: Partial<Settings> = {}) {
  const { onPrepare = () => undefined, fail = () => false, startBlock = 0, liveBlocks = 8 } = given
  const chain = createSimulatedChain()
  for (let number = 1; number <= HEAD; number++) chain.mine(logs(number))
  const queried: string[] = []
  const hashes: unknown[] = []
  const intercept = (_: string, call: RpcCall, answer: () => unknown) => {
    const { fromBlock, toBlock, blockHash } = (call.params[0] ?? {}) as { fromBlock?: string; toBlock?: string; blockHash?: string }
    if (fromBlock !== undefined) queried.push(`${Number(fromBlock)}-${Number(toBlock)}`)
    if (blockHash !== undefined) hashes.push(blockHash)
    if (fail(Number(fromBlock))) throw new Error('broken')
    return answer()
  }
  const { watchlist } = createMemoryIndex({ contracts: [launchpad], startBlock })
  const source = createChainSource({ rpc: createChainRpc([chain], { intercept }) })
  const bounds = { startBlock, followBlocks: FOLLOW_BLOCKS, liveBlocks }
  const prepared = new Map<number, readonly ChainLog[]>()
  const prepare: Committer['prepare'] = async (batch, previous) => {
    onPrepare(batch.from, previous?.from ?? null)
    prepared.set(batch.from, batch.logs)
    return projectedBatch(batch)
  }
  const prefetch = createPrefetch({ source, watchlist, prepare, bounds, ranges })
  return {
    chain,
    queried,
    /** How many blocks' logs have been asked for. */
    blocks: () => hashes.length,
    discard: prefetch.discard,
    rangeBlocks: prefetch.rangeBlocks,
    next: async (from: number, confirmed = HEAD) => {
      const { header } = chain.at(confirmed)
      const batch = await prefetch.next(spanAt(from, confirmed, bounds, prefetch.rangeBlocks()), {
        head: header,
        confirmed: header,
        block: null,
      })
      return { batch, logs: (prepared.get(batch.from) ?? []).map(({ address, blockNumber }) => [address, blockNumber]) }
    },
  }
}
