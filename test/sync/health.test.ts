import { describe, expect, it } from 'vitest'
import type { BlockHeader } from '#domain/block.ts'
import { TokenwireError } from '#errors'
import type { RpcHealth } from '#resources/health.ts'
import { RpcError } from '#rpc/rpcFault.ts'
import { afterHealthEvent, reportChain, reportState, UNKNOWN_HEALTH } from '#sync/health.ts'
import type { Commit, SyncEvent } from '#sync/state.ts'
import { logEvent } from '#sync/sync.ts'
import { createLogLines } from '#test/support/logLines.ts'
import { createManualClock } from '#test/support/manualClock.ts'
import { projectedBatch } from '#test/support/memoryCommitter.ts'
import { rpcHealth } from '#test/support/rpcHealth.ts'
import { createSimulatedChain } from '#test/support/simulatedChain.ts'
import { wholeBlock } from '#test/support/simulatedIndex.ts'

const chain = createSimulatedChain({ blockSeconds: 2 })
for (let count = 0; count < 200; count++) chain.mine()
const header = (number: number) => chain.at(number).header
const tipAt = (head: number, confirmations = 3) => ({ head: header(head), confirmed: header(head - confirmations), block: null })
const unavailable = (message: string) => new TokenwireError('database_unavailable', message, { retryable: true })

describe('the health of synchronisation', () => {
  it('is unknown at first', () => {
    const { state, chain } = open()
    const unknown = { headBlock: null, confirmedBlock: null, indexedBlock: null, lagBlocks: null, lagSeconds: null, stalled: false }
    expect(state()).toMatchObject(unknown)
    expect(chain()).toEqual({ headBlock: null, blockTimeMs: null, baseFeeGwei: null })
  })

  it('counts the lag in blocks and in chain time', () => {
    const { state, tip, read, committed, pass } = open()
    tip(tipAt(103))
    read(header(90))
    pass(1_000)
    expect(state()).toMatchObject({ headBlock: 103, confirmedBlock: 100, indexedBlock: 90, lagBlocks: 10, lagSeconds: 20 })
    committed(header(100))
    expect(state()).toMatchObject({ lagBlocks: 0, lagSeconds: 0 })
  })

  it('has the whole chain as its lag while nothing is indexed', () => {
    const { state, tip, read } = open(41)
    tip(tipAt(103))
    expect(state().lagBlocks).toBeNull()
    read(null)
    expect(state()).toMatchObject({ indexedBlock: null, lagBlocks: 60, lagSeconds: null })
  })

  it('has no lag when a provider is behind what is indexed', () => {
    const { state, tip, read } = open()
    read(header(150))
    tip(tipAt(103))
    expect(state()).toMatchObject({ lagBlocks: 0, lagSeconds: 0 })
  })

  it('tells a chain that stands still from dead providers, and is not stalled by it', () => {
    const { state, tip, read, pass, passInSilence } = open()
    tip(tipAt(103))
    read(header(100))
    pass(120_000)
    expect(state()).toMatchObject({ stalled: false, reason: null, headUnchangedSeconds: 120 })
    tip(tipAt(103))
    pass(3_480_000)
    expect(state()).toMatchObject({
      stalled: false,
      reason: 'the chain stands still: the providers answer, and block 103 has been the newest for 3600 s',
      lagBlocks: 0,
    })
    passInSilence(31_000)
    expect(state()).toMatchObject({
      stalled: true,
      reason: 'no RPC provider has answered for 31 s',
      lagBlocks: null,
      headUnchangedSeconds: null,
    })
    pass(1)
    tip(tipAt(104))
    expect(state()).toMatchObject({ stalled: false, reason: null, lagBlocks: 1, headUnchangedSeconds: 0 })
  })

  it('gives a slow chain thirty of its blocks before it stands still', () => {
    const { state, tip, read, pass } = open()
    const slow = createSimulatedChain({ blockSeconds: 600 })
    for (let count = 0; count < 10; count++) slow.mine()
    tip({ head: slow.at(9).header, confirmed: slow.at(6).header, block: null })
    read(slow.at(6).header)
    pass(30 * 600_000)
    expect(state().reason).toBeNull()
    pass(1_000)
    expect(state().reason).toContain('the chain stands still')
  })

  it('knows no lag while no provider shows the end of the chain', () => {
    const { state, tip, read, committed, record, pass } = open()
    tip(tipAt(103))
    read(header(90))
    record({ kind: 'polling' })
    pass(20_000)
    // A poll that failed was begun before it is known to have failed.
    record({ kind: 'tipFailed', error: new RpcError({ kind: 'rate-limited', retryAfterMs: null, text: '' }, 'rpc-1') })
    record({ kind: 'polling' })
    pass(10_000)
    expect(state()).toMatchObject({ lagBlocks: 10 })
    pass(1)
    expect(state()).toMatchObject({
      stalled: true,
      lagBlocks: null,
      lagSeconds: null,
      reason: "no RPC provider has shown the chain's end for 30 s",
    })
    pass(30_000)
    expect(state()).toMatchObject({ stalled: true, lagBlocks: null })
    tip(tipAt(103))
    expect(state()).toMatchObject({ stalled: true, lagBlocks: 10, reason: 'nothing has been indexed for 60 s' })
    committed(header(100))
    expect(state()).toMatchObject({ stalled: false, lagBlocks: 0, reason: null })
  })

  it('says that no provider shows the end of the chain, also while the answer is awaited', () => {
    const { state, tip, read, record, pass } = open()
    tip(tipAt(103))
    read(header(100))
    record({ kind: 'polling' })
    pass(30_001)
    expect(state()).toMatchObject({ stalled: true, reason: "no RPC provider has shown the chain's end for 30 s" })
    pass(30_000)
    expect(state()).toMatchObject({ stalled: true, reason: "no RPC provider has shown the chain's end for 60 s" })
  })

  it('is stalled when nothing is indexed for a minute though the chain moves', () => {
    const { state, tip, read, committed, pass } = open()
    tip(tipAt(103))
    read(header(100))
    pass(3_600_000)
    tip(tipAt(104))
    pass(60_000)
    expect(state().stalled).toBe(false)
    pass(2_000)
    expect(state()).toMatchObject({ stalled: true, reason: 'nothing has been indexed for 62 s' })
    committed(header(101))
    expect(state()).toMatchObject({ stalled: false, reason: null })
  })

  it('takes reading the same cursor again for no progress', () => {
    const { state, tip, read, pass } = open()
    tip(tipAt(103))
    for (let second = 0; second < 62; second++) {
      read(header(90))
      pass(1_000)
    }
    expect(state()).toMatchObject({ stalled: true, reason: 'nothing has been indexed for 62 s' })
  })

  it('gives a backfill five minutes for a range', () => {
    const { state, tip, read, range, pass } = open()
    tip(tipAt(103))
    read(null)
    range(0, 100)
    pass(299_000)
    expect(state().stalled).toBe(false)
    pass(2_000)
    expect(state().stalled).toBe(true)
  })

  it('is stalled when no provider answers for half a minute', () => {
    const { state, tip, read, pass, passInSilence } = open()
    tip(tipAt(103))
    read(header(100))
    pass(1)
    passInSilence(30_000)
    expect(state().stalled).toBe(false)
    passInSilence(1_000)
    expect(state()).toMatchObject({ stalled: true, reason: 'no RPC provider has answered for 31 s' })
    pass(1)
    expect(state().stalled).toBe(false)
  })

  it('shows trouble at once and is stalled by it after a minute, until a commit or a wait', () => {
    const { state, tip, read, failed, committed, wait, pass } = open()
    tip(tipAt(103))
    read(header(99))
    failed(unavailable('the database does not answer'))
    expect(state()).toMatchObject({
      stalled: false,
      reason: 'the database can not be used',
      details: ['the database does not answer'],
    })
    pass(30_000)
    read(header(99))
    failed(unavailable('the database still does not answer'))
    pass(31_000)
    expect(state()).toMatchObject({ stalled: true, details: ['the database still does not answer'] })
    committed(header(100))
    expect(state()).toMatchObject({ stalled: false, reason: null, details: [] })
    failed(unavailable('again'))
    expect(state().details).toEqual(['again'])
    wait()
    expect(state().reason).toBeNull()
  })

  it('keeps what others wrote for operators', () => {
    const { state, failed, record, pass, tip, wait } = open()
    failed(new Error('password authentication failed for user "alice"'))
    expect(state().reason).toBe('a step of indexing failed; the log has the error')
    record({ kind: 'tipFailed', error: new RpcError({ kind: 'node', code: -32_000, text: 'no Authorization for you' }, 'rpc-1') })
    pass(61_000)
    expect(state()).toMatchObject({ stalled: true, reason: 'a step of indexing failed; the log has the error' })
    const full = 'rpc-1: the node failed (-32000): no Authorization for you'
    expect(state().details).toEqual(['password authentication failed for user "alice"', full])
    wait()
    expect(state()).toMatchObject({ reason: 'rpc-1: the node failed', details: [full] })
    record({ kind: 'gaveUp', error: new Error('the end') })
    expect(state()).toMatchObject({ reason: 'a step of indexing failed; the log has the error', details: ['the end', full] })
    tip(tipAt(103))
    expect(state().details).toEqual(['the end'])
  })

  it('says that the chain ends below what is indexed, until it does not', () => {
    const { state, tip, read, wait } = open()
    tip(tipAt(112))
    read(header(120))
    wait('chainIsShorter', tipAt(112))
    expect(state()).toMatchObject({ stalled: false, reason: 'block 120 is indexed, but the chain ends at block 112' })
    wait('indexed', tipAt(120))
    expect(state().reason).toBeNull()
  })

  it('counts reorgs, one that is too deep only once, and stays stalled while it lasts', () => {
    const { state, tip, read, replaced, failed, committed, pass } = open()
    tip(tipAt(103))
    read(header(100))
    replaced(header(98), 2)
    expect(state().reorgs).toMatchObject({ count: 1, lastDepth: 2, lastAt: expect.stringMatching(/^\d{4}-.*Z$/) as unknown })
    const details = { cursor: 98, cursorHash: header(98).hash, depth: 40, ancestor: null }
    const tooDeep = new TokenwireError('reorg_too_deep', 'the chain has replaced 40 indexed blocks', { details })
    for (let attempt = 1; attempt <= 3; attempt++) {
      failed(tooDeep, attempt)
      pass(30_000)
      read(header(98))
    }
    expect(state()).toMatchObject({
      stalled: true,
      reason: 'the chain has replaced 40 indexed blocks',
      reorgs: { count: 2, lastDepth: 40 },
    })
    committed(header(99))
    expect(state()).toMatchObject({ stalled: false, reason: null, reorgs: { count: 2 } })
  })

  it('stays stalled once indexing has ended', () => {
    const { state, record, tip, read, pass } = open()
    record({ kind: 'gaveUp', error: new TokenwireError('database_taken', 'another Tokenwire has taken over') })
    tip(tipAt(103))
    read(header(100))
    pass(1_000)
    expect(state()).toMatchObject({ stalled: true, reason: 'another Tokenwire indexes into this database' })
  })

  it('says why providers are not healthy: the kind in public, what they said to operators', () => {
    const { state, tip, read, record, setRpc, pass } = open()
    tip(tipAt(103))
    read(header(100))
    const failing = { ...rpcHealth({ name: 'rpc-1', healthy: false }), cause: 'an HTTP error' }
    setRpc([failing, rpcHealth({ name: 'rpc-2' })], ['rpc-1: HTTP 503'])
    expect(state()).toMatchObject({ stalled: false, reason: null, details: ['rpc-1: HTTP 503'] })
    record({ kind: 'polling' })
    pass(30_001)
    expect(state()).toMatchObject({
      stalled: true,
      reason: "no RPC provider has shown the chain's end for 30 s (rpc-1: an HTTP error)",
      details: ['rpc-1: HTTP 503'],
    })
  })

  it('knows the block time from the indexed blocks until it has seen the chain grow', () => {
    const { chain, tip, commitBlocks } = open()
    tip(tipAt(103, 0))
    expect(chain()).toMatchObject({ headBlock: 103, blockTimeMs: null })
    commitBlocks([header(101), header(102), header(103)])
    expect(chain()).toMatchObject({ blockTimeMs: 2_000 })
    const other = open()
    other.record({ kind: 'cursorRead', blocks: [header(100), header(103)] })
    expect(other.chain()).toMatchObject({ blockTimeMs: 2_000 })
  })

  it('averages the block time over the recent chain and knows the base fee', () => {
    const { chain, tip } = open()
    tip(tipAt(103))
    expect(chain()).toEqual({ headBlock: 103, blockTimeMs: 2_000, baseFeeGwei: '0.000000007' })
    for (let head = 104; head <= 200; head++) tip(tipAt(head))
    tip(tipAt(150))
    expect(chain()).toMatchObject({ headBlock: 150, blockTimeMs: 2_000 })
  })
})

describe('the progress of a backfill', () => {
  it('is shown from the first range on, and not once the rest is followed', () => {
    const { state, range, committed, wait, pass } = open(20)
    range(70, 169)
    expect(state().backfill).toMatchObject({ fromBlock: '20', currentBlock: '69', toBlock: '119', percent: 50, secondsLeft: null })
    pass(1_000)
    committed(header(94))
    expect(state().backfill).toMatchObject({ currentBlock: '94', percent: 75, blocksPerSecond: 25, secondsLeft: 1 })
    wait()
    expect(state().backfill).toBeNull()
  })

  it('is not lost by a failure, a look at the database or a second look at the tip', () => {
    const { state, range, committed, failed, read, record, pass } = open()
    range(0, 169)
    pass(1_000)
    committed(header(50))
    failed(unavailable('away'))
    read(header(50))
    record({ kind: 'decided', action: { kind: 'verifyTip' }, tip: tipAt(172) })
    expect(state().backfill).toMatchObject({ currentBlock: '50', blocksPerSecond: 51 })
  })

  it('is logged when it starts, at most every five seconds, and when it is done', () => {
    const { range, committed, wait, pass, lines } = open()
    for (let second = 0; second < 20; second++) {
      range(100 + second, 169)
      pass(1_000)
      committed(header(100 + second), 10)
    }
    wait()
    expect(lines().map(({ msg }) => msg)).toEqual([...Array.from({ length: 5 }, () => 'backfill'), 'backfill done'])
    expect(lines().at(-1)).toMatchObject({ toBlock: 119, events: 200, seconds: 20 })
  })

  it('starts anew with a second backfill', () => {
    const { state, range, committed, wait, pass } = open()
    range(0, 150)
    pass(1_000)
    committed(header(100))
    wait()
    pass(3_600_000)
    range(101, 190)
    pass(1_000)
    committed(header(111))
    expect(state().backfill).toMatchObject({ currentBlock: '111', blocksPerSecond: 11 })
  })

  it('says nothing while blocks are followed', () => {
    const { state, committed, wait, lines } = open()
    committed(header(100))
    wait()
    expect({ backfill: state().backfill, lines: lines() }).toEqual({ backfill: null, lines: [] })
  })
})

describe('the log of synchronisation', () => {
  it('has ever fewer of failures in a row', () => {
    const { failed, lines } = open()
    for (let attempt = 1; attempt <= 9; attempt++) failed(new Error('disk full'), attempt)
    expect(lines().map(({ attempt }) => attempt)).toEqual([1, 2, 4, 8])
  })

  it('has ever fewer of failures in a row to see the end of the chain, each with what the provider wrote', () => {
    const { record, tip, lines } = open()
    const error = new RpcError({ kind: 'node', code: -32_000, text: 'go away' }, 'rpc-1')
    for (let attempt = 1; attempt <= 5; attempt++) record({ kind: 'tipFailed', error })
    tip(tipAt(103))
    record({ kind: 'tipFailed', error })
    expect(lines().map(({ attempt }) => attempt)).toEqual([1, 2, 4, 1])
    expect(lines()[0]).toMatchObject({ level: 40, err: { message: error.message } })
  })
})

function open(startBlock = 0) {
  const clock = createManualClock()
  const startedAtMs = clock.nowMs()
  const { logger, lines } = createLogLines()
  const bounds = { startBlock, followBlocks: 50, liveBlocks: 8 }
  let answeredAtMs: number | null = null
  let rpc: readonly RpcHealth[] = [rpcHealth()]
  let troubles: readonly string[] = []
  let health = UNKNOWN_HEALTH
  const record = (event: SyncEvent) => {
    const before = health
    health = afterHealthEvent(health, event, clock.nowMs(), bounds)
    logEvent(logger, event, before, health, startBlock)
  }
  const commit = (commit: Commit, blocks: readonly BlockHeader[] = []) => {
    const block = { ...commit.to, completedAtMs: 0, tokens: [], unread: [], dropped: [] }
    record({ kind: 'committed', commit, blocks, block })
  }
  return {
    record,
    lines,
    state: () =>
      reportState(health, { nowMs: clock.nowMs(), startedAtMs, lastAnswerAtMs: answeredAtMs, rpc, warnings: [], troubles, startBlock }),
    chain: () => reportChain(health),
    tip: (tip: ReturnType<typeof tipAt>) => record({ kind: 'tip', tip }),
    read: (cursor: BlockHeader | null) => record({ kind: 'cursorRead', blocks: cursor === null ? [] : [cursor] }),
    committed: (to: BlockHeader, logs = 0) => {
      const batch = projectedBatch(wholeBlock({ header: { ...header(1), ...to }, logs: [] }))
      commit({ kind: 'batch', to, batch: { ...batch, logCount: logs } })
    },
    commitBlocks: (blocks: readonly [...BlockHeader[], BlockHeader]) =>
      commit({ kind: 'settle', to: blocks.at(-1) as BlockHeader }, blocks),
    replaced: (to: BlockHeader, depth: number) => commit({ kind: 'replace', to, replacement: { ancestor: to, batches: [] }, depth }),
    failed: (error: unknown, attempt = 1) => record({ kind: 'failed', error, attempt, retryInMs: 100 }),
    range: (from: number, confirmed: number) =>
      record({ kind: 'decided', action: { kind: 'index', span: { mode: 'range', from, to: from } }, tip: tipAt(confirmed + 3) }),
    wait: (because: 'indexed' | 'chainIsShorter' = 'indexed', tip = tipAt(103)) =>
      record({ kind: 'decided', action: { kind: 'wait', because }, tip }),
    /** Time passes while the provider goes on answering. */
    pass: (ms: number) => {
      clock.advance(ms)
      answeredAtMs = clock.nowMs()
    },
    passInSilence: (ms: number) => clock.advance(ms),
    setRpc: (next: readonly RpcHealth[], said: readonly string[] = []) => {
      rpc = next
      troubles = said
    },
  }
}
