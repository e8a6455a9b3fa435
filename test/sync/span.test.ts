import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Hex } from '#domain/address.ts'
import { batchOf, fetchBlocks, type LinkedBlocks } from '#sync/prefetch.ts'
import { createMemoryIndex } from '#test/support/memoryCommitter.ts'
import { createSimulatedChain, type NewLog, testAddress } from '#test/support/simulatedChain.ts'

const launchpad = testAddress(0)
const announce = (index: number): NewLog => ({ address: launchpad, data: `0x${testAddress(index).slice(2).padStart(64, '0')}` })
const speak = (index: number): NewLog => ({ address: testAddress(index) })

const chainOf = (blocks: number, logs: () => readonly NewLog[] = () => []) => {
  const chain = createSimulatedChain()
  for (let count = 0; count < blocks; count++) chain.mine(logs())
  return chain
}
const numbersOf = (blocks: LinkedBlocks) => blocks.map(({ header }) => header.number)

describe('blocks that are committed together', () => {
  it('are fetched twelve at a time, each once', async () => {
    const chain = chainOf(40)
    const fetched: number[] = []
    let underWay = 0
    let most = 0
    const blockWithLogs = async (number: number) => {
      fetched.push(number)
      most = Math.max(most, ++underWay)
      await turn()
      underWay--
      return chain.at(number)
    }
    expect(numbersOf(await fetchBlocks({ blockWithLogs }, 1, 32))).toEqual(Array.from({ length: 32 }, (_, index) => index + 1))
    expect(fetched).toEqual(Array.from({ length: 32 }, (_, index) => index + 1))
    expect(most).toBe(12)
  })

  it('end before a block that does not follow the one before it', async () => {
    const [chain, fork] = [chainOf(10), chainOf(10, () => [speak(1)])]
    const blocks = await fetchBlocks({ blockWithLogs: async number => (number < 6 ? chain : fork).at(number) }, 3, 10)
    expect(numbersOf(blocks)).toEqual([3, 4, 5])
  })

  it('end before a block that can not be fetched, and none is begun after the failure', async () => {
    const chain = chainOf(40)
    const fetched: number[] = []
    const blockWithLogs = async (number: number) => {
      fetched.push(number)
      if (number === 4) throw new Error('broken')
      return chain.at(number)
    }
    expect(numbersOf(await fetchBlocks({ blockWithLogs }, 1, 32))).toEqual([1, 2, 3])
    expect(Math.max(...fetched)).toBe(12)
    await expect(fetchBlocks({ blockWithLogs }, 4, 32)).rejects.toThrow('broken')
  })

  it('end where they hold many logs', async () => {
    const chain = chainOf(30, () => Array.from({ length: 900 }, () => speak(1)))
    expect(await fetchBlocks({ blockWithLogs: async number => chain.at(number) }, 1, 30)).toHaveLength(6)
  })
})

describe('the batch of blocks', () => {
  const { watchlist } = createMemoryIndex({ contracts: [launchpad] })

  it('holds the logs of watched addresses and of those that a block announces, before and after the announcement', () => {
    const chain = createSimulatedChain()
    const first = chain.mine([speak(7), speak(8), announce(7), speak(7)])
    const second = chain.mine([speak(9), speak(7)])
    const third = chain.mine([speak(9)])
    const announced = new Set<Hex>([testAddress(8)])
    expect(batchOf([first, second, third], 'catchUp', watchlist, announced)).toEqual({
      mode: 'catchUp',
      from: 1,
      first: first.header,
      to: third.header,
      blocks: [first.header, second.header, third.header],
      headers: [first.header, second.header],
      logs: [...first.logs, second.logs[1]],
      announced: [testAddress(7)],
    })
    expect(announced).toEqual(new Set([testAddress(8), testAddress(7)]))
  })

  it('is empty without watched logs', () => {
    const block = createSimulatedChain().mine([speak(7)])
    expect(batchOf([block], 'live', watchlist, new Set())).toMatchObject({ from: 1, to: block.header, headers: [], logs: [] })
  })
})
