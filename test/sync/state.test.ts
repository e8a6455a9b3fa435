import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ChainTip } from '#chain/chainTips.ts'
import type { Hex } from '#domain/address.ts'
import type { BlockHeader } from '#domain/block.ts'
import {
  type Action,
  afterEvent,
  type Commit,
  decide,
  extendChain,
  type LocalChain,
  MAX_CATCH_UP_BLOCKS,
  type SyncEvent,
  type SyncState,
  spanAt,
} from '#sync/state.ts'
import { projectedBatch } from '#test/support/memoryCommitter.ts'
import { createSimulatedChain, type SimulatedChain } from '#test/support/simulatedChain.ts'
import { wholeBlock } from '#test/support/simulatedIndex.ts'

const chain = createSimulatedChain()
for (let count = 0; count < 300; count++) chain.mine()
/** The same up to block 90. */
const fork = createSimulatedChain()
for (let count = 0; count < 300; count++) fork.mine()
fork.drop(210)
for (let count = 0; count < 200; count++) fork.mine()

const header = (number: number, of: SimulatedChain = chain): BlockHeader => {
  const { hash, parentHash, timestamp } = of.at(number).header
  return { number, hash, parentHash, timestamp }
}
const upTo = (cursor: number): LocalChain => {
  let local: LocalChain = []
  for (let number = Math.max(0, cursor - 20); number <= cursor; number++) local = extendChain(local, header(number))
  return local
}
const tip = (head: number, confirmed: number, of: SimulatedChain = chain): ChainTip => ({
  head: of.at(head).header,
  confirmed: of.at(confirmed).header,
  block: null,
})

type Known = Extract<SyncState, { kind: 'known' }>
const FOLLOWING: Known = { kind: 'known', chain: [], settled: true, onChain: 'linked', verifiedTip: null, verifiedStart: null }
const at = (cursor: number, state: Partial<Known> = {}): Known => ({ ...FOLLOWING, chain: upTo(cursor), ...state })
const bounds = { startBlock: 7, followBlocks: 50, liveBlocks: 8 }
const liveCommit: Commit = { kind: 'batch', to: header(100), batch: projectedBatch(wholeBlock(chain.at(100))) }

interface Case {
  readonly name: string
  readonly state: SyncState
  readonly tip: ChainTip
  readonly action: Action
}

describe('what to do next', () => {
  it.each<Case>([
    // 1 and 2: where the index stands
    { name: 'at the start', state: { kind: 'unknown', uncertain: null }, tip: tip(203, 200), action: { kind: 'readCursor' } },
    {
      name: 'after a failed commit',
      state: { kind: 'unknown', uncertain: liveCommit },
      tip: tip(203, 200),
      action: { kind: 'readCursor' },
    },
    {
      name: 'when a failed commit is in the database',
      state: { kind: 'unemitted', commit: liveCommit, after: at(100) },
      tip: tip(203, 200),
      action: { kind: 'repeatCommit', commit: liveCommit },
    },
    // 3: replaced
    { name: 'with another block at the cursor', state: at(100), tip: tip(100, 97, fork), action: { kind: 'replaceBlocks' } },
    { name: 'with a shorter fork', state: at(100), tip: tip(97, 94, fork), action: { kind: 'replaceBlocks' } },
    {
      name: 'with a fork of which only the head is above the ancestor',
      state: at(92),
      tip: tip(91, 88, fork),
      action: { kind: 'replaceBlocks' },
    },
    {
      name: 'when the next block did not follow',
      state: at(100, { onChain: 'replaced' }),
      tip: tip(110, 107),
      action: { kind: 'replaceBlocks' },
    },
    // 4: the chain ends below the cursor
    { name: 'with a provider that is behind', state: at(100), tip: tip(97, 94), action: { kind: 'wait', because: 'chainIsShorter' } },
    { name: 'with one that is far behind', state: at(100), tip: tip(40, 37), action: { kind: 'wait', because: 'chainIsShorter' } },
    {
      name: 'with a fork below its first other block',
      state: at(92),
      tip: tip(90, 88, fork),
      action: { kind: 'wait', because: 'chainIsShorter' },
    },
    // 5: the tip does not show the cursor
    {
      name: 'with the cursor between confirmed and head',
      state: at(98),
      tip: tip(100, 97),
      action: { kind: 'compareCursor', cursor: header(98) },
    },
    {
      name: 'with the cursor compared below this head',
      state: at(98, { onChain: { belowHead: header(100).hash } }),
      tip: tip(100, 97),
      action: { kind: 'wait', because: 'indexed' },
    },
    {
      name: 'with the cursor compared below another head',
      state: at(98, { onChain: { belowHead: header(99).hash } }),
      tip: tip(100, 97),
      action: { kind: 'compareCursor', cursor: header(98) },
    },
    {
      name: 'with a cursor that was read and lies below the confirmed block',
      state: at(90, { onChain: 'unknown' }),
      tip: tip(100, 97),
      action: { kind: 'compareCursor', cursor: header(90) },
    },
    {
      name: 'with a cursor below the confirmed block that was compared below another head',
      state: at(96, { onChain: { belowHead: header(99).hash } }),
      tip: tip(100, 97),
      action: { kind: 'index', span: { mode: 'live', from: 97, to: 97 } },
    },
    {
      name: 'with a cursor that is the confirmed block',
      state: at(97, { onChain: 'unknown' }),
      tip: tip(100, 97),
      action: { kind: 'wait', because: 'indexed' },
    },
    {
      name: 'with a cursor that is the head',
      state: at(100, { onChain: 'unknown' }),
      tip: tip(100, 97),
      action: { kind: 'wait', because: 'indexed' },
    },
    // 6: everything confirmed is indexed
    { name: 'with everything indexed', state: at(97), tip: tip(100, 97), action: { kind: 'wait', because: 'indexed' } },
    { name: 'with windows left behind', state: at(97, { settled: false }), tip: tip(100, 97), action: { kind: 'settle', at: header(97) } },
    { name: 'before the start block is confirmed', state: FOLLOWING, tip: tip(9, 6), action: { kind: 'wait', because: 'indexed' } },
    // 7: an empty index
    { name: 'with an empty index', state: FOLLOWING, tip: tip(53, 50), action: { kind: 'verifyStart' } },
    { name: 'with an empty index far behind', state: FOLLOWING, tip: tip(203, 200), action: { kind: 'verifyStart' } },
    // 8: far behind
    {
      name: 'far behind',
      state: { ...FOLLOWING, verifiedStart: header(7) },
      tip: tip(203, 200),
      action: { kind: 'verifyTip' },
    },
    {
      name: 'far behind, an older tip verified',
      state: { ...FOLLOWING, verifiedStart: header(7), verifiedTip: header(199).hash },
      tip: tip(203, 200),
      action: { kind: 'verifyTip' },
    },
    {
      name: 'far behind, the tip verified',
      state: { ...FOLLOWING, verifiedStart: header(7), verifiedTip: header(200).hash },
      tip: tip(203, 200),
      action: { kind: 'index', span: { mode: 'range', from: 7, to: 106 } },
    },
    {
      name: 'with less than a range left to the followed blocks',
      state: at(120, { verifiedTip: header(200).hash }),
      tip: tip(203, 200),
      action: { kind: 'index', span: { mode: 'range', from: 121, to: 150 } },
    },
    // 9: near the head
    {
      name: 'with the first block to follow',
      state: { ...FOLLOWING, verifiedStart: header(7) },
      tip: tip(53, 50),
      action: { kind: 'index', span: { mode: 'live', from: 7, to: 7 } },
    },
    {
      name: 'with many blocks to follow',
      state: at(160),
      tip: tip(203, 200),
      action: { kind: 'index', span: { mode: 'catchUp', from: 161, to: 191 } },
    },
    { name: 'near the head', state: at(191), tip: tip(203, 200), action: { kind: 'index', span: { mode: 'live', from: 192, to: 192 } } },
    { name: 'one block behind', state: at(96), tip: tip(100, 97), action: { kind: 'index', span: { mode: 'live', from: 97, to: 97 } } },
  ])('$name', ({ state, tip, action }) => {
    expect(decide(state, tip, bounds, 100)).toEqual(action)
  })

  it('indexes blocks in order, each once, and none above the confirmed one', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 8, max: 299 }),
        fc.nat({ max: 299 }),
        fc.integer({ min: 1, max: 100 }),
        (cursor, confirmed, rangeBlocks) => {
          const state = at(cursor, { verifiedTip: header(confirmed).hash, onChain: { belowHead: header(300).hash } })
          const action = decide(state, tip(300, confirmed), bounds, rangeBlocks)
          if (confirmed <= cursor) expect(action).toEqual({ kind: 'wait', because: 'indexed' })
          else {
            const { span } = action as Extract<Action, { kind: 'index' }>
            const left = confirmed - cursor
            expect(span.from).toBe(cursor + 1)
            expect(span.to).toBeGreaterThanOrEqual(span.from)
            expect(span.mode).toBe(left > bounds.followBlocks ? 'range' : left > bounds.liveBlocks + 1 ? 'catchUp' : 'live')
            if (span.mode === 'range') expect(span.to).toBe(Math.min(cursor + rangeBlocks, confirmed - bounds.followBlocks))
            else expect(span.to).toBeLessThanOrEqual(span.mode === 'live' ? span.from : confirmed - bounds.liveBlocks - 1)
          }
        },
      ),
    )
  })

  it('commits a bounded number of blocks together', () => {
    expect(spanAt(8, 300, { startBlock: 7, followBlocks: 1_000, liveBlocks: 8 }, 1)).toEqual({
      mode: 'catchUp',
      from: 8,
      to: 7 + MAX_CATCH_UP_BLOCKS,
    })
  })
})

describe('the state after an event', () => {
  const read = (cursor: number): SyncEvent => ({ kind: 'cursorRead', blocks: upTo(cursor) })
  const committed = (commit: Commit, blocks: readonly BlockHeader[]): SyncEvent => ({
    kind: 'committed',
    commit,
    blocks,
    block: { ...commit.to, completedAtMs: 0, tokens: [], unread: [], dropped: [] },
  })
  const uncompared = { settled: false, onChain: 'unknown', verifiedTip: null, verifiedStart: null } as const

  it('is at the cursor that the database shows', () => {
    expect(afterEvent({ kind: 'unknown', uncertain: null }, read(40))).toEqual({ kind: 'known', chain: upTo(40), ...uncompared })
    expect(afterEvent({ kind: 'unknown', uncertain: null }, { kind: 'cursorRead', blocks: [] })).toEqual({
      kind: 'known',
      chain: [],
      ...uncompared,
    })
  })

  it('repeats a failed commit that is in the database, and forgets one that is not', () => {
    const failed = afterEvent(at(99), { kind: 'commitFailed', commit: liveCommit })
    expect(failed).toEqual({ kind: 'unknown', uncertain: liveCommit })
    // A failure to read the cursor does not change what is uncertain.
    const again = afterEvent(failed, { kind: 'failed', error: new Error('x'), attempt: 1, retryInMs: 1 })
    expect(again).toEqual(failed)
    const unemitted = afterEvent(again, read(100))
    expect(unemitted).toEqual({ kind: 'unemitted', commit: liveCommit, after: { kind: 'known', chain: upTo(100), ...uncompared } })
    expect(afterEvent(again, read(99))).toMatchObject({ kind: 'known', settled: false })
    expect(afterEvent(unemitted, { kind: 'commitFailed', commit: liveCommit })).toEqual(failed)
    // Settled as by the commit itself: its result is emitted once.
    expect(afterEvent(unemitted, committed(liveCommit, []))).toEqual({ kind: 'known', chain: upTo(100), ...uncompared, settled: true })
  })

  it('forgets everything after any other failure', () => {
    const failed: SyncEvent = { kind: 'failed', error: new Error('x'), attempt: 1, retryInMs: 1 }
    expect(afterEvent(at(99), failed)).toEqual({ kind: 'unknown', uncertain: null })
  })

  it('is linked to a committed batch, and settled by a block near the head alone', () => {
    const after = afterEvent(at(99, { settled: false, onChain: 'unknown' }), committed(liveCommit, [header(100)]))
    expect(after).toEqual(at(100, { chain: extendChain(upTo(99), header(100)), settled: true, onChain: 'linked' }))
    const together: Commit = { kind: 'batch', to: header(100), batch: { ...projectedBatch(wholeBlock(chain.at(100))), mode: 'catchUp' } }
    expect(afterEvent(at(99), committed(together, [header(100)]))).toMatchObject({ settled: false, onChain: 'linked' })
  })

  it('starts its chain anew at the end of a range', () => {
    const range: Commit = { kind: 'batch', to: header(150), batch: { ...projectedBatch(wholeBlock(chain.at(150))), mode: 'range' } }
    expect(afterEvent(at(99), committed(range, [header(150)]))).toMatchObject({ chain: [{ number: 150 }], settled: false })
  })

  it('is on the new chain after a replacement, settled when a block of it was committed', () => {
    const batches = [wholeBlock(fork.at(91)), wholeBlock(fork.at(92))]
    const kept = upTo(90)
    const replace: Commit = { kind: 'replace', to: header(92, fork), replacement: { ancestor: header(90), batches }, depth: 3 }
    const blocks = [...kept, header(91, fork), header(92, fork)]
    expect(afterEvent(at(93, { onChain: 'replaced' }), committed(replace, blocks))).toEqual(at(0, { chain: blocks, settled: true }))
    const undo: Commit = { kind: 'replace', to: header(90), replacement: { ancestor: header(90), batches: [] }, depth: 3 }
    expect(afterEvent(at(93), committed(undo, kept))).toEqual(at(90, { chain: kept, settled: false }))
  })

  it('notes what was verified and compared', () => {
    const hash: Hex = header(200).hash
    expect(afterEvent(at(9), { kind: 'tipVerified', confirmed: hash })).toMatchObject({ verifiedTip: hash })
    expect(afterEvent(FOLLOWING, { kind: 'startVerified', block: header(7) })).toMatchObject({ verifiedStart: header(7) })
    expect(afterEvent(at(9), { kind: 'cursorCompared', head: hash, isReplaced: false })).toMatchObject({ onChain: { belowHead: hash } })
    expect(afterEvent(at(9), { kind: 'cursorCompared', head: hash, isReplaced: true })).toMatchObject({ onChain: 'replaced' })
    expect(afterEvent(at(9), { kind: 'forked' })).toMatchObject({ onChain: 'replaced' })
  })

  it('is settled by a settling commit', () => {
    const settle: Commit = { kind: 'settle', to: header(9) }
    expect(afterEvent(at(9, { settled: false }), committed(settle, []))).toEqual(at(9))
  })
})
