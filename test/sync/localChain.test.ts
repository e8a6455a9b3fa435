import { describe, expect, it } from 'vitest'
import { blockAt, extendChain, LOCAL_CHAIN_LENGTH, type LocalChain } from '#sync/state.ts'
import { createSimulatedChain } from '#test/support/simulatedChain.ts'

describe('the local chain', () => {
  it('keeps the newest linked blocks, bounded', () => {
    const chain = createSimulatedChain()
    let local: LocalChain = extendChain([], chain.head().header)
    for (let count = 0; count < LOCAL_CHAIN_LENGTH + 10; count++) local = extendChain(local, chain.mine().header)
    expect(local).toHaveLength(LOCAL_CHAIN_LENGTH)
    expect(local.at(-1)?.number).toBe(LOCAL_CHAIN_LENGTH + 10)
    expect(local[0]?.number).toBe(11)
    expect(blockAt(local, 11)).toEqual(local[0])
    expect(blockAt(local, 10)).toBeUndefined()
    expect(blockAt(local, LOCAL_CHAIN_LENGTH + 11)).toBeUndefined()
  })

  it('begins anew with a block that does not follow on the last one', () => {
    const chain = createSimulatedChain()
    const first = chain.mine().header
    chain.mine()
    const third = chain.mine().header
    expect(extendChain([first], third).map(({ number }) => number)).toEqual([third.number])
  })

  it('keeps nothing of a header but what makes it a link', () => {
    const { number, hash, parentHash, timestamp } = createSimulatedChain().head().header
    expect(extendChain([], createSimulatedChain().head().header)[0]).toEqual({ number, hash, parentHash, timestamp })
  })
})
