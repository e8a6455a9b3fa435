import { describe, expect, it } from 'vitest'
import type { RpcHealth } from '#domain/health.ts'
import { createIndexerState } from '#sync/indexerState.ts'
import { createManualClock } from '#test/support/manualClock.ts'
import { createSimulatedChain } from '#test/support/simulatedChain.ts'

const chain = createSimulatedChain({ blockSeconds: 2 })
for (let count = 0; count < 200; count++) chain.mine()
const header = (number: number) => chain.at(number).header
const tip = (head: number, confirmations = 3) => ({ head: header(head), confirmed: header(head - confirmations), block: null })

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

  it('tells a chain that stands still from providers that are dead, and is not stalled by it', () => {
    const { state, pass, passInSilence } = open()
    state.sawTip(tip(103))
    state.indexed(header(100))
    pass(120_000)
    expect(state.state()).toMatchObject({ stalled: false, reason: null, headUnchangedSeconds: 120 })
    state.sawTip(tip(103))
    pass(3_480_000)
    expect(state.state()).toMatchObject({
      stalled: false,
      reason: 'the chain stands still: the providers answer, and block 103 has been the newest for 3600 s',
      lagBlocks: 0,
    })
    passInSilence(31_000)
    expect(state.state()).toMatchObject({
      stalled: true,
      reason: 'no RPC provider has answered for 31 s',
      lagBlocks: null,
      headUnchangedSeconds: null,
    })
    pass(1)
    state.sawTip(tip(104))
    expect(state.state()).toMatchObject({ stalled: false, reason: null, lagBlocks: 1, headUnchangedSeconds: 0 })
  })

  it('gives a slow chain thirty of its blocks before it stands still', () => {
    const { state, pass } = open()
    const slow = createSimulatedChain({ blockSeconds: 600 })
    for (let count = 0; count < 10; count++) slow.mine()
    state.sawTip({ head: slow.at(9).header, confirmed: slow.at(6).header, block: null })
    state.indexed(slow.at(6).header)
    pass(30 * 600_000)
    expect(state.state().reason).toBeNull()
    pass(1_000)
    expect(state.state().reason).toContain('the chain stands still')
  })

  it('knows no lag while no provider shows the end of the chain, and the health of each with its range', () => {
    const clock = createManualClock()
    const health = [{ name: 'rpc-1', healthy: true, latencyMs: 3, errorRate: 0 }]
    const rpc = { health: () => health, lastAnswerAtMs: () => clock.nowMs() }
    const state = createIndexerState({ rpc, startBlock: 0, nowMs: () => clock.nowMs(), blocksAtOnce: () => 500 })
    state.sawTip(tip(103))
    state.indexed(header(90))
    state.looking()
    clock.advance(20_000)
    // That a look failed is known later than it began.
    state.trouble('chain', 'rpc-1: rate limit')
    state.looking()
    clock.advance(10_000)
    expect(state.state()).toMatchObject({ lagBlocks: 10, rpc: [{ name: 'rpc-1', rangeBlocks: 500 }] })
    clock.advance(1)
    expect(state.state()).toMatchObject({ lagBlocks: null, lagSeconds: null, reason: 'rpc-1: rate limit' })
    state.trouble('chain', null)
    expect(state.state()).toMatchObject({ stalled: false, reason: "no RPC provider has shown the chain's end for 30 s" })
    clock.advance(30_000)
    expect(state.state()).toMatchObject({ stalled: true, reason: "no RPC provider has shown the chain's end for 60 s" })
    state.sawTip(tip(103))
    expect(state.state()).toMatchObject({ stalled: true, lagBlocks: 10, reason: 'nothing has been indexed for 60 s' })
    state.indexed(header(100))
    expect(state.state()).toMatchObject({ stalled: false, lagBlocks: 0, reason: null })
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

  it('is stalled when no provider answers for half a minute', () => {
    const { state, pass, passInSilence } = open()
    state.sawTip(tip(103))
    state.indexed(header(100))
    pass(1)
    passInSilence(30_000)
    expect(state.state().stalled).toBe(false)
    passInSilence(1_000)
    expect(state.state()).toMatchObject({ stalled: true, reason: 'no RPC provider has answered for 31 s' })
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
