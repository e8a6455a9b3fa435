import { describe, expect, it } from 'vitest'
import { createFollow, liveBatch } from '#sync/fetch/follow.ts'
import { createMemoryIndex } from '#test/support/memorySink.ts'
import { createSimulatedChain, type NewLog, testAddress } from '#test/support/simulatedChain.ts'

const launchpad = testAddress(0)
const announce = (index: number): NewLog => ({ address: launchpad, data: `0x${testAddress(index).slice(2).padStart(64, '0')}` })
const speak = (index: number): NewLog => ({ address: testAddress(index) })

const open = () => {
  const chain = createSimulatedChain()
  for (let count = 0; count < 40; count++) chain.mine()
  const fetched: number[] = []
  const follow = createFollow({
    ahead: 3,
    source: {
      blockWithLogs: async number => {
        fetched.push(number)
        return chain.at(number)
      },
    },
  })
  return { chain, fetched, follow }
}

describe('following', () => {
  it('fetches three blocks ahead, each once', async () => {
    const { follow, fetched, chain } = open()
    for (let number = 1; number <= 6; number++) await expect(follow.block(number, 40)).resolves.toBe(chain.at(number))
    expect(fetched).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  it('fetches nothing ahead of what a fork may still replace', async () => {
    const { follow, fetched } = open()
    await follow.block(31, 40)
    expect(fetched).toEqual([31, 32])
    await follow.block(33, 40)
    expect(fetched).toEqual([31, 32, 33])
  })

  it('gives a run of blocks that link up, and leaves what does not to be noticed', async () => {
    const { follow, chain } = open()
    const numbersOf = (run: readonly { readonly header: { readonly number: number } }[]) => run.map(({ header }) => header.number)
    expect(numbersOf(await follow.run(1, 40, 4))).toEqual([1, 2, 3, 4])
    // Blocks 5 to 7 are fetched ahead, and then replaced with those after them.
    chain.drop(36)
    for (let count = 0; count < 36; count++) chain.mine([speak(1)])
    expect(numbersOf(await follow.run(5, 40, 6))).toEqual([5, 6, 7])
  })

  it('ends a run before a block that can not be fetched, and asks for that anew', async () => {
    const { chain } = open()
    let broken = true
    const follow = createFollow({
      source: { blockWithLogs: async number => (number === 4 && broken ? Promise.reject(new Error('broken')) : chain.at(number)) },
    })
    expect(await follow.run(1, 40, 32)).toEqual([1, 2, 3].map(number => chain.at(number)))
    await expect(follow.run(4, 40, 32)).rejects.toThrow('broken')
    broken = false
    await expect(follow.run(4, 40, 32)).resolves.toHaveLength(32)
  })

  it('ends a run that holds much', async () => {
    const chain = createSimulatedChain()
    for (let count = 0; count < 30; count++) chain.mine(Array.from({ length: 900 }, () => speak(1)))
    const follow = createFollow({ source: { blockWithLogs: async number => chain.at(number) } })
    expect(await follow.run(1, 40, 32)).toHaveLength(6)
  })

  it('keeps the failure of a block ahead for whoever asks for it, and asks anew after that', async () => {
    const { chain } = open()
    let broken = true
    const follow = createFollow({
      source: { blockWithLogs: async number => (number === 2 && broken ? Promise.reject(new Error('broken')) : chain.at(number)) },
    })
    await follow.block(1, 40)
    await expect(follow.block(2, 40)).rejects.toThrow('broken')
    broken = false
    await expect(follow.block(2, 40)).resolves.toBe(chain.at(2))
  })
})

describe('the batch of a followed block', () => {
  it('holds the logs of what is watched and of what the block announces, before and after', () => {
    const chain = createSimulatedChain()
    const block = chain.mine([speak(7), speak(8), announce(7), speak(7)])
    const batch = liveBatch(block, createMemoryIndex({ contracts: [launchpad] }).watchlist)
    expect(batch).toEqual({
      from: 1,
      to: block.header,
      headers: [block.header],
      logs: [block.logs[0], block.logs[2], block.logs[3]],
      live: true,
    })
  })

  it('of a block without watched logs is empty', () => {
    const block = createSimulatedChain().mine([speak(7)])
    const batch = liveBatch(block, createMemoryIndex({ contracts: [launchpad] }).watchlist)
    expect(batch).toEqual({ from: 1, to: block.header, headers: [], logs: [], live: true })
  })
})
