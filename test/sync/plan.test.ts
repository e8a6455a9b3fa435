import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { extendChain, type LocalChain } from '#sync/localChain.ts'
import { FOLLOW_BLOCKS, plan } from '#sync/plan.ts'
import { createSimulatedChain, type SimulatedChain } from '#test/support/simulatedChain.ts'

const chain = createSimulatedChain()
for (let count = 0; count < 300; count++) chain.mine()

const upTo = (cursor: number, of: SimulatedChain = chain): LocalChain => {
  let local: LocalChain = []
  for (let number = Math.max(0, cursor - 20); number <= cursor; number++) local = extendChain(local, of.at(number).header)
  return local
}
const tip = (head: number, confirmed: number, of: SimulatedChain = chain) => ({
  head: of.at(head).header,
  confirmed: of.at(confirmed).header,
  block: null,
})

describe('plan', () => {
  it('begins at the start block', () => {
    expect(plan([], tip(203, 200), 7)).toEqual({ kind: 'backfill', from: 7, target: 150 })
    expect(plan([], tip(53, 50), 7)).toEqual({ kind: 'follow', from: 7, target: 50 })
    expect(plan([], tip(9, 6), 7)).toEqual({ kind: 'idle' })
    expect(plan([], tip(0, 0), 0)).toEqual({ kind: 'follow', from: 0, target: 0 })
  })

  it('follows near the confirmed head and backfills further away, always from the block after the cursor and never past the confirmed one', () => {
    fc.assert(
      fc.property(fc.nat({ max: 299 }), fc.nat({ max: 299 }), (cursor, confirmed) => {
        const next = plan(upTo(cursor), tip(300, confirmed), 0)
        if (confirmed <= cursor) expect(next).toEqual({ kind: confirmed === cursor ? 'idle' : 'look' })
        else {
          const kind = confirmed - cursor > FOLLOW_BLOCKS ? 'backfill' : 'follow'
          expect(next).toEqual({ kind, from: cursor + 1, target: kind === 'follow' ? confirmed : confirmed - FOLLOW_BLOCKS })
        }
      }),
    )
  })

  it('has what lies between the confirmed block and the head looked up', () => {
    expect(plan(upTo(98), tip(100, 97), 0)).toEqual({ kind: 'look' })
    expect(plan(upTo(100), tip(100, 97), 0)).toEqual({ kind: 'idle' })
    expect(plan(upTo(97), tip(100, 97), 0)).toEqual({ kind: 'idle' })
  })

  it('knows a provider that is behind from a fork', () => {
    expect(plan(upTo(100), tip(97, 94), 0)).toEqual({ kind: 'ahead' })
    expect(plan(upTo(100), tip(40, 37), 0)).toEqual({ kind: 'ahead' })
    const fork = createSimulatedChain()
    for (let count = 0; count < 300; count++) fork.mine()
    fork.drop(210)
    for (let count = 0; count < 200; count++) fork.mine()
    expect(plan(upTo(100), tip(97, 94, fork), 0)).toEqual({ kind: 'reorg' })
    expect(plan(upTo(92), tip(91, 88, fork), 0)).toEqual({ kind: 'reorg' })
    expect(plan(upTo(92), tip(90, 88, fork), 0)).toEqual({ kind: 'ahead' })
  })
})
