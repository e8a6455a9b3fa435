import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createChainSource } from '#chain/chainSource.ts'
import type { RpcCall } from '#rpc/rpcEndpoint.ts'
import { createBatches } from '#sync/batches.ts'
import { planBlocks } from '#sync/plan.ts'
import type { BlockBatch, BlockSink, ProjectedBatch } from '#sync/ports.ts'
import { createChainRpc } from '#test/support/chainRpc.ts'
import { createMemoryIndex } from '#test/support/memorySink.ts'
import { createSimulatedChain, type NewLog, testAddress } from '#test/support/simulatedChain.ts'

const HEAD = 160
const FOLLOW_BLOCKS = 60
const launchpad = testAddress(0)
const announce = (index: number): NewLog => ({ address: launchpad, data: `0x${testAddress(index).slice(2).padStart(64, '0')}` })
const speak = (index: number): NewLog => ({ address: testAddress(index) })
const bounds = { leastBlocks: 1, mostBlocks: 10, targetLogs: 100 }

/** Ranges of ten blocks up to block 100, then runs, and from block 152 on single blocks. */
function open(logs: (number: number) => readonly NewLog[], given: Partial<Settings> = {}) {
  const { prepare, fail = () => false, startBlock = 0, settledBlocks = 8 } = given
  const chain = createSimulatedChain()
  for (let number = 1; number <= HEAD; number++) chain.mine(logs(number))
  const ranges: string[] = []
  const hashes: unknown[] = []
  const intercept = (_: string, call: RpcCall, answer: () => unknown) => {
    const { fromBlock, toBlock, blockHash } = (call.params[0] ?? {}) as { fromBlock?: string; toBlock?: string; blockHash?: string }
    if (fromBlock !== undefined) ranges.push(`${Number(fromBlock)}-${Number(toBlock)}`)
    if (blockHash !== undefined) hashes.push(blockHash)
    if (fail(Number(fromBlock))) throw new Error('broken')
    return answer()
  }
  const { watchlist } = createMemoryIndex({ contracts: [launchpad], startBlock })
  const source = createChainSource({ rpc: createChainRpc([chain], { intercept }) })
  const batches = createBatches({ source, watchlist, prepare, followBlocks: FOLLOW_BLOCKS, settledBlocks, bounds })
  return {
    chain,
    ranges,
    /** How many blocks' logs have been asked for. */
    blocks: () => hashes.length,
    forget: batches.forget,
    next: (from: number, confirmed = HEAD) => batches.next(planBlocks(from, confirmed, FOLLOW_BLOCKS), confirmed),
  }
}

interface Settings {
  readonly prepare: BlockSink['prepare']
  readonly startBlock: number
  readonly settledBlocks: number
  /** Whether the question for logs from that block on fails. */
  fail(from: number): boolean
}

const logsOf = (batch: BlockBatch | ProjectedBatch) =>
  ('logs' in batch ? batch.logs : []).map(({ address, blockNumber }) => [address, blockNumber])

describe('batches', () => {
  it('are fetched two ahead and no more', async () => {
    const { next, ranges } = open(() => [])
    expect((await next(1)).batch).toMatchObject({ from: 1, to: { number: 10 }, live: false })
    await expect.poll(() => ranges).toEqual(['1-10', '11-20', '21-30'])
    await next(11)
    await expect.poll(() => ranges).toEqual(['1-10', '11-20', '21-30', '31-40'])
  })

  it('go from ranges to runs to single blocks, each taken up where the one before it ended', async () => {
    const { next } = open(() => [])
    const taken: string[] = []
    for (let from = 1; from <= HEAD; ) {
      const { batch, first } = await next(from)
      expect(first.number).toBe(from)
      taken.push(`${from}-${batch.to.number}${batch.live ? ' live' : ''}${batch.behind === true ? ' behind' : ''}`)
      from = batch.to.number + 1
    }
    const ranges = Array.from({ length: 10 }, (_, index) => `${index * 10 + 1}-${index * 10 + 10} behind`)
    const blocks = Array.from({ length: 9 }, (_, index) => `${152 + index}-${152 + index} live`)
    expect(taken).toEqual([...ranges, '101-132 live behind', '133-151 live behind', ...blocks])
  })

  it('know what the two before them announced, though nothing is committed', async () => {
    const { next } = open(number => {
      if (number === 5) return [announce(7), speak(7)]
      if (number === 15) return [speak(7), announce(8)]
      return number === 25 || number === 105 ? [speak(7), speak(8), speak(9)] : []
    })
    await next(1)
    expect(logsOf((await next(11)).batch)).toEqual([
      [testAddress(7), 15],
      [launchpad, 15],
    ])
    expect(logsOf((await next(21)).batch)).toEqual([
      [testAddress(7), 25],
      [testAddress(8), 25],
    ])
  })

  it('of blocks know what was announced before them, too', async () => {
    const { next } = open(number => (number === 95 ? [announce(7)] : number === 105 ? [speak(7), announce(8)] : [speak(8)]))
    await next(91)
    const run = await next(101)
    expect(logsOf(run.batch).slice(0, 3)).toEqual([
      [testAddress(7), 105],
      [launchpad, 105],
      [testAddress(8), 106],
    ])
    expect(logsOf((await next(133)).batch)).toHaveLength(19)
  })

  it('are prepared each on the one before it, where it was prepared itself', async () => {
    const prepared: string[] = []
    const { next } = open(() => [], {
      prepare: async (batch, previous) => {
        prepared.push(`${batch.from} on ${previous?.from ?? 'what is committed'}`)
        return { ...batch, changes: {}, discoveries: [], logCount: 0 } as unknown as ProjectedBatch
      },
    })
    await next(81)
    await next(91)
    await expect.poll(() => prepared).toEqual(['81 on what is committed', '91 on 81', '101 on 91'])
    await next(101)
    await next(133)
    await next(152)
    // Not a single block: what time changes is told by what is committed.
    expect(prepared.slice(3)).toEqual(['133 on 101'])
  })

  it('wait for their turn where a fork may still replace the blocks', async () => {
    const { next, blocks } = open(() => [speak(1)])
    await next(133)
    await expect.poll(blocks).toBe(20)
    await next(152)
    expect(blocks()).toBe(20)
    await next(153)
    expect(blocks()).toBe(21)
  })

  it('wait for their turn there also where all blocks would be committed together', async () => {
    const { next, blocks } = open(() => [speak(1)], { settledBlocks: 0 })
    await next(101)
    await expect.poll(blocks).toBe(52)
    expect((await next(133)).batch.to.number).toBe(152)
    expect(blocks()).toBe(52)
  })

  it('wait for a single block before them, whose changes nobody knows before it is committed', async () => {
    const { next, blocks } = open(() => [speak(1)], { startBlock: 101 })
    expect((await next(101)).batch.to.number).toBe(101)
    for (let turns = 0; turns < 200; turns++) await turn()
    // It, and the few after it that are always fetched ahead.
    expect(blocks()).toBe(12)
    expect((await next(102)).batch).toMatchObject({ from: 102, to: { number: 133 } })
  })

  it('are fetched anew where the confirmed head has gone back, and they would go too far', async () => {
    const { next, ranges } = open(() => [])
    await next(81)
    await expect.poll(() => ranges).toEqual(['81-90', '91-100'])
    expect((await next(91, HEAD - 7)).batch).toMatchObject({ from: 91, to: { number: 93 }, live: false })
    expect(ranges).toContain('91-93')
  })

  it('are fetched anew once they are forgotten', async () => {
    const { next, forget, ranges, chain } = open(() => [])
    await next(1)
    await expect.poll(() => ranges).toHaveLength(3)
    chain.drop(HEAD - 15)
    for (let number = 16; number <= HEAD; number++) chain.mine([])
    forget()
    expect((await next(11)).batch.to).toEqual(chain.at(20).header)
    expect((await next(21)).first).toEqual(chain.at(21).header)
  })

  it('begin nothing more of what is forgotten', async () => {
    const { next, forget, ranges } = open(() => [])
    await next(1)
    forget()
    await expect.poll(() => ranges).toContain('11-20')
    await next(31)
    await expect.poll(() => ranges).toContain('51-60')
    expect(ranges).not.toContain('21-30')
  })

  it('keep the failure of one ahead for whoever asks for it', async () => {
    let isBroken = true
    const { next, forget } = open(() => [], { fail: from => isBroken && from === 21 })
    await next(1)
    await expect(next(11)).resolves.toMatchObject({ batch: { from: 11 } })
    await expect(next(21)).rejects.toThrow('broken')
    isBroken = false
    forget()
    await expect(next(21)).resolves.toMatchObject({ batch: { from: 21 } })
  })
})
