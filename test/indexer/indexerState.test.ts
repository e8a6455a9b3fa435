import { describe, expect, it } from 'vitest'
import type { RpcHealth } from '#domain/health.ts'
import { createIndexerState } from '#indexer/indexerState.ts'
import { createManualClock } from '#test/support/manualClock.ts'
import { createSimulatedChain } from '#test/support/simulatedChain.ts'

const chain = createSimulatedChain({ blockSeconds: 2 })
for (let count = 0; count < 200; count++) chain.mine()
const header = (number: number) => chain.at(number).header
const tip = (head: number, confirmations = 3) => ({ head: header(head), confirmed: header(head - confirmations) })

function open(startBlock = 0) {
  const clock = createManualClock()
  let answeredAtMs: number | null = null
  let health: readonly RpcHealth[] = [{ name: 'rpc-1', healthy: true, latencyMs: 3, errorRate: 0 }]
  const rpc = { health: () => health, lastAnswerAtMs: () => answeredAtMs }
  const state = createIndexerState({ rpc, startBlock, nowMs: () => clock.nowMs() })
  return {
    state,
    /** Time passes while the provider goes on answering. */
    pass: (ms: number) => {
      clock.advance(ms)
      answeredAtMs = clock.nowMs()
    },
    passInSilence: (ms: number) => clock.advance(ms),
    setHealth: (next: readonly RpcHealth[]) => {
      health = next
    },
  }
}

describe('the state of the indexer', () => {
  it('knows nothing at first', () => {
    const { state } = open()
    expect(state.state()).toMatchObject({
      headBlock: null,
      confirmedBlock: null,
      indexedBlock: null,
      lagBlocks: null,
      lagSeconds: null,
      stalled: false,
    })
    expect(state.chain()).toEqual({ headBlock: null, blockTimeMs: null, baseFeeGwei: null })
  })

  it('counts the lag in blocks and in the time of the chain', () => {
    const { state, pass } = open()
    state.sawTip(tip(103))
    state.indexed(header(90))
    pass(1_000)
    expect(state.state()).toMatchObject({ headBlock: 103, confirmedBlock: 100, indexedBlock: 90, lagBlocks: 10, lagSeconds: 20 })
    state.indexed(header(100))
    expect(state.state()).toMatchObject({ lagBlocks: 0, lagSeconds: 0 })
  })

  it('has the whole chain as its lag while nothing is indexed', () => {
    const { state } = open(41)
    state.sawTip(tip(103))
    expect(state.state().lagBlocks).toBeNull()
    state.indexed(null)
    expect(state.state()).toMatchObject({ indexedBlock: null, lagBlocks: 60, lagSeconds: null })
  })

  it('has no lag when a provider is behind what is indexed', () => {
    const { state } = open()
    state.indexed(header(150))
    state.sawTip(tip(103))
    expect(state.state()).toMatchObject({ lagBlocks: 0, lagSeconds: 0 })
  })

  it('is not stalled by a chain that stands still', () => {
    const { state, pass } = open()
    state.sawTip(tip(103))
    state.indexed(header(100))
    pass(3_600_000)
    expect(state.state()).toMatchObject({ stalled: false, reason: null })
  })

  it('is stalled when nothing is indexed for a minute though the chain moves', () => {
    const { state, pass } = open()
    state.sawTip(tip(103))
    state.indexed(header(100))
    pass(3_600_000)
    state.sawTip(tip(104))
    pass(60_000)
    expect(state.state().stalled).toBe(false)
    pass(2_000)
    expect(state.state()).toMatchObject({ stalled: true, reason: 'nothing has been indexed for 62 s' })
    state.indexed(header(101))
    expect(state.state()).toMatchObject({ stalled: false, reason: null })
  })

  it('takes being told again where the index stands for no progress', () => {
    const { state, pass } = open()
    state.sawTip(tip(103))
    for (let second = 0; second < 62; second++) {
      state.indexed(header(90))
      pass(1_000)
    }
    expect(state.state()).toMatchObject({ stalled: true, reason: 'nothing has been indexed for 62 s' })
  })

  it('gives a backfill five minutes for a range', () => {
    const { state, pass } = open()
    state.sawTip(tip(103))
    state.indexed(null)
    state.backfilling({
      fromBlock: '0',
      toBlock: '50',
      currentBlock: '0',
      percent: 0,
      blocksPerSecond: 0,
      eventsPerSecond: 0,
      secondsLeft: null,
    })
    pass(299_000)
    expect(state.state().stalled).toBe(false)
    pass(2_000)
    expect(state.state().stalled).toBe(true)
  })

  it('is stalled when no provider answers for a minute', () => {
    const { state, pass, passInSilence } = open()
    state.sawTip(tip(103))
    state.indexed(header(100))
    pass(1)
    passInSilence(60_000)
    expect(state.state().stalled).toBe(false)
    passInSilence(1_000)
    expect(state.state()).toMatchObject({ stalled: true, reason: 'no RPC provider has answered for 61 s' })
    pass(1)
    expect(state.state().stalled).toBe(false)
  })

  it('tells the trouble at once and is stalled by it after a minute', () => {
    const { state, pass } = open()
    state.sawTip(tip(103))
    state.indexed(header(100))
    state.trouble('indexing', 'the database does not answer')
    expect(state.state()).toMatchObject({ stalled: false, reason: 'the database does not answer' })
    pass(30_000)
    state.trouble('indexing', 'the database still does not answer')
    pass(31_000)
    expect(state.state()).toMatchObject({ stalled: true, reason: 'the database still does not answer' })
    state.trouble('indexing', null)
    expect(state.state()).toMatchObject({ stalled: false, reason: null })
  })

  it('stays stalled once it has stopped for good', () => {
    const { state, pass } = open()
    state.sawTip(tip(103))
    state.indexed(header(100))
    state.reorged(4)
    state.stopped('the chain has replaced 4 indexed blocks')
    pass(1_000)
    expect(state.state()).toMatchObject({
      stalled: true,
      reason: 'the chain has replaced 4 indexed blocks',
      reorgs: { count: 1, lastDepth: 4, lastAt: expect.stringMatching(/^\d{4}-.*Z$/) as unknown },
    })
  })

  it('names the providers that are not healthy', () => {
    const { state, setHealth } = open()
    const provider = (name: string, healthy: boolean) => ({ name, healthy, latencyMs: 3, errorRate: 0 })
    setHealth([provider('rpc-1', false), provider('rpc-2', true), provider('rpc-3', false)])
    expect(state.state()).toMatchObject({ stalled: false, reason: 'rpc-1, rpc-3 not healthy' })
  })

  it('averages the block time over the recent chain and knows the base fee', () => {
    const { state } = open()
    state.sawTip(tip(103))
    expect(state.chain()).toEqual({ headBlock: 103, blockTimeMs: 2_000, baseFeeGwei: '0.000000007' })
    for (let head = 104; head <= 200; head++) state.sawTip(tip(head))
    state.sawTip(tip(150))
    expect(state.chain()).toMatchObject({ headBlock: 150, blockTimeMs: 2_000 })
  })
})
