import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { extendChain, type LocalChain, reconcile } from '#sync/state.ts'
import { createSimulatedChain, type SimulatedChain } from '#test/support/simulatedChain.ts'

const localOf = (chain: SimulatedChain, from: number, to: number): LocalChain => {
  let local: LocalChain = []
  for (let number = from; number <= to; number++) local = extendChain(local, chain.at(number).header)
  return local
}
const chainOf = (blocks: number): SimulatedChain => {
  const chain = createSimulatedChain()
  for (let count = 0; count < blocks; count++) chain.mine()
  return chain
}

describe('reconcile', () => {
  it('appends anything to nothing', () => {
    expect(reconcile([], chainOf(7).head().header)).toBe('append')
  })

  it('appends the child of the cursor', () => {
    const chain = chainOf(9)
    expect(reconcile(localOf(chain, 3, 8), chain.at(9).header)).toBe('append')
  })

  it('knows every remembered block again', () => {
    const chain = chainOf(9)
    for (let number = 3; number <= 8; number++) expect(reconcile(localOf(chain, 3, 8), chain.at(number).header)).toBe('duplicate')
  })

  it('says that blocks are missing between', () => {
    const chain = chainOf(9)
    expect(reconcile(localOf(chain, 1, 4), chain.at(9).header)).toBe('gap')
  })

  it('says nothing of blocks before its memory', () => {
    const chain = chainOf(9)
    expect(reconcile(localOf(chain, 5, 8), chain.at(2).header)).toBe('forgotten')
  })

  it('sees a reorg in any block of the other fork that touches the remembered ones', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 6 }), (depth, extra) => {
        const chain = chainOf(20)
        const local = localOf(chain, 5, 20)
        chain.drop(depth)
        for (let count = 0; count < depth + extra; count++) chain.mine()
        const ancestor = 20 - depth
        expect(reconcile(local, chain.at(ancestor).header)).toBe('duplicate')
        expect(reconcile(local, chain.at(ancestor + 1).header)).toBe('reorg')
        for (let number = ancestor + 2; number <= 21; number++) {
          expect(reconcile(local, chain.at(number).header)).toBe('reorg')
        }
        if (extra > 1) expect(reconcile(local, chain.at(22).header)).toBe('gap')
      }),
    )
  })

  it('sees a reorg that replaces everything it remembers', () => {
    const chain = chainOf(9)
    const local = localOf(chain, 7, 9)
    chain.drop(6)
    for (let count = 0; count < 7; count++) chain.mine()
    expect(reconcile(local, chain.at(7).header)).toBe('reorg')
    expect(reconcile(local, chain.at(10).header)).toBe('reorg')
  })
})
