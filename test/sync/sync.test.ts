import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import type { RpcCall } from '#rpc/rpcEndpoint.ts'
import { RpcError, type RpcFault } from '#rpc/rpcFault.ts'
import { type ChainRpcOptions, createChainRpc } from '#test/support/chainRpc.ts'
import { type RunningSync, type RunOptions, runSync } from '#test/support/indexing.ts'
import { createMemoryIndex, type MemoryIndex, watchedLogs } from '#test/support/memoryCommitter.ts'
import { createSimulatedChain, type NewLog, type SimulatedChain, testAddress } from '#test/support/simulatedChain.ts'

const launchpad = testAddress(0)
const announce = (index: number): NewLog => ({ address: launchpad, data: `0x${testAddress(index).slice(2).padStart(64, '0')}` })
const speak = (index: number): NewLog => ({ address: testAddress(index), topics: [`0x${'aa'.repeat(32)}`] })

const running: RunningSync[] = []
const run = (options: RunOptions): RunningSync => {
  const started = runSync(options)
  running.push(started)
  return started
}
afterEach(async () => {
  for (const { sync } of running.splice(0)) await sync.stop()
})

const grow = (chain: SimulatedChain, blocks: number, logs: (number: number) => readonly NewLog[] = () => []): void => {
  for (let count = 0; count < blocks; count++) chain.mine(logs(chain.head().header.number + 1))
}
/** A launch every ten blocks, its token speaking before it in the same block and in some blocks after. */
const lively = (number: number): readonly NewLog[] => {
  const token = 1 + Math.floor(number / 10)
  if (number % 10 === 3) return [speak(token), speak(token + 50), announce(token), speak(token)]
  return number % 3 === 0 ? [speak(token), speak(1), speak(77)] : []
}
const chainOf = (blocks: number): SimulatedChain => {
  const chain = createSimulatedChain()
  grow(chain, blocks, lively)
  return chain
}
const indexOf = (startBlock = 0): MemoryIndex => createMemoryIndex({ contracts: [launchpad], startBlock })
const expected = (chain: SimulatedChain, to: number, from = 0) =>
  watchedLogs(
    chain.logs().filter(({ blockNumber }) => blockNumber >= from && blockNumber <= to),
    [launchpad],
  )
const cursorAt = (index: MemoryIndex, block: number) => () => index.cursor() === block

/** An index that has all confirmed blocks of a chain of so many. */
const followed = async (
  blocks: number,
  options: Omit<RunOptions, 'rpc' | 'index' | 'confirmations'> & { readonly confirmations?: number } = {},
) => {
  const [chain, index] = [chainOf(blocks), indexOf()]
  const started = run({ rpc: createChainRpc([chain]), index, ...options })
  await started.until(cursorAt(index, blocks - (options.confirmations ?? 0)), 'it follows')
  return { ...started, chain, index }
}

describe('the indexer', () => {
  it('backfills in ranges, then follows, every log once and in order', async () => {
    const chain = createSimulatedChain()
    grow(chain, 2_000, lively)
    const index = indexOf()
    const { until, emitted } = run({ rpc: createChainRpc([chain]), index, confirmations: 3 })
    await until(cursorAt(index, 1_997), 'everything is indexed')
    expect(index.logs).toEqual(expected(chain, 1_997))

    const ranges = index.batches.filter(({ mode }) => mode === 'range')
    expect(ranges.at(-1)?.to.number).toBe(1_997 - 50)
    expect(ranges.length).toBeLessThan(10)
    // Several together while there is far to go, and one by one near the head.
    expect(index.batches.filter(({ mode }) => mode !== 'range').map(({ from, to }) => [from, to.number])).toEqual([
      [1_948, 1_979],
      [1_980, 1_988],
      ...Array.from({ length: 9 }, (_, at) => [1_989 + at, 1_989 + at]),
    ])
    expect(emitted.map(({ number }) => number)).toEqual(index.batches.map(({ to }) => to.number))

    grow(chain, 5, lively)
    await until(cursorAt(index, 2_002), 'the new blocks are indexed')
    expect(index.logs).toEqual(expected(chain, 2_002))
  })

  it('indexes the same whether it follows or backfills', async () => {
    const chain = createSimulatedChain()
    const followed = indexOf()
    const following = run({ rpc: createChainRpc([chain]), index: followed })
    for (let step = 0; step < 20; step++) {
      grow(chain, 10, lively)
      await following.until(cursorAt(followed, chain.head().header.number), 'it has followed')
    }
    const backfilled = indexOf()
    const backfilling = run({ rpc: createChainRpc([chain]), index: backfilled })
    await backfilling.until(cursorAt(backfilled, 200), 'it has backfilled')
    expect(followed.batches.every(({ mode }) => mode !== 'range')).toBe(true)
    expect(backfilled.batches.some(({ mode }) => mode === 'range')).toBe(true)
    expect(backfilled.logs).toEqual(followed.logs)
    expect(followed.logs).toEqual(expected(chain, 200))
  })

  it('begins at the start block and waits for a chain that has not come so far', async () => {
    const chain = chainOf(20)
    const index = indexOf(25)
    const { until, settle } = run({ rpc: createChainRpc([chain]), index })
    await settle()
    expect(index.cursor()).toBeNull()
    grow(chain, 100, lively)
    await until(cursorAt(index, 120), 'it is indexed')
    expect(index.batches[0]?.from).toBe(25)
    expect(index.logs).toEqual(expected(chain, 120, 25))
  })

  it('goes on from the cursor after a restart', async () => {
    const chain = chainOf(300)
    const index = indexOf()
    const first = run({ rpc: createChainRpc([chain]), index })
    await first.until(() => (index.cursor() ?? 0) >= 100, 'some is indexed')
    await first.sync.stop()
    expect(first.completed()).toBe(true)
    const stoppedAt = index.cursor() ?? 0
    const again = index.reopen()
    const second = run({ rpc: createChainRpc([chain]), index: again })
    await second.until(cursorAt(again, 300), 'the rest is indexed')
    expect(index.batches.filter(({ from }) => from <= stoppedAt).at(-1)?.to.number).toBe(stoppedAt)
    expect(index.logs).toEqual(expected(chain, 300))
  })

  it('backfills again when it has fallen far behind', async () => {
    const { chain, index, until } = await followed(10)
    grow(chain, 500, lively)
    await until(cursorAt(index, 510), 'it has caught up')
    expect(index.batches.some(({ mode }) => mode === 'range')).toBe(true)
    expect(index.logs).toEqual(expected(chain, 510))
  })

  it('repeats a commit whose outcome it does not know, and emits it once', async () => {
    const chain = chainOf(5)
    const index = indexOf()
    let left = 2
    index.fail(({ to }) => (to.number === 3 && left-- > 0 ? { when: 'after', error: new Error('connection lost') } : undefined))
    const { until, emitted } = run({ rpc: createChainRpc([chain]), index })
    await until(() => emitted.at(-1)?.number === 5, 'everything is emitted')
    expect(emitted.map(({ number }) => number)).toEqual([0, 1, 2, 3, 4, 5])
    expect(index.logs).toEqual(expected(chain, 5))
  })

  it('emits nothing that is not committed', async () => {
    const chain = chainOf(5)
    const index = indexOf()
    index.fail(({ to }) => (to.number === 3 ? { when: 'before', error: new Error('disk full') } : undefined))
    const { until, settle, emitted, sync, log } = run({ rpc: createChainRpc([chain]), index })
    await until(() => emitted.length === 3, 'the first blocks are emitted')
    await settle()
    expect(emitted.map(({ number }) => number)).toEqual([0, 1, 2])
    expect(sync.view.state()).toMatchObject({
      indexedBlock: 2,
      lagBlocks: 3,
      reason: 'a step of indexing failed; the log has the error',
    })
    expect(log.text()).toContain('disk full')
    index.fail(() => undefined)
    await until(() => emitted.length === 6, 'the rest is emitted')
    expect(sync.view.state()).toMatchObject({ indexedBlock: 5, lagBlocks: 0, reason: null })
  })

  it('emits the commit that is under way when it is stopped, and begins no other', async () => {
    const chain = chainOf(5)
    const index = indexOf()
    const gate = Promise.withResolvers<void>()
    let begun = 0
    const committer: MemoryIndex['committer'] = {
      ...index.committer,
      commit: async commit => {
        begun++
        await gate.promise
        return index.committer.commit(commit)
      },
    }
    const { until, settle, sync, emitted, completed } = run({ rpc: createChainRpc([chain]), index: { ...index, committer } })
    await until(() => begun === 1, 'a commit is under way')
    let stopped = false
    const stopping = sync.stop().then(() => {
      stopped = true
    })
    await settle()
    expect({ stopped, completed: completed() }).toEqual({ stopped: false, completed: false })
    gate.resolve()
    await stopping
    await settle()
    expect({ begun, cursor: index.cursor(), emitted: emitted.length, completed: completed() }).toEqual({
      begun: 1,
      cursor: 0,
      emitted: 1,
      completed: true,
    })
  })

  it('does not commit what it was fetching when it was stopped', async () => {
    const chain = chainOf(5)
    const index = indexOf()
    const gate = Promise.withResolvers<void>()
    let held = 0
    const intercept: ChainRpcOptions['intercept'] = (_, call, answer) => {
      if (call.method !== 'eth_getLogs') return answer()
      held++
      return gate.promise.then(answer)
    }
    const { until, settle, sync } = run({ rpc: createChainRpc([chain], { intercept }), index })
    await until(() => held > 0, 'logs are being fetched')
    const cursor = index.cursor()
    await sync.stop()
    gate.resolve()
    await settle()
    expect(index.cursor()).toBe(cursor)
  })

  it('indexes the fork that replaces unindexed blocks while a commit is under way', async () => {
    const chain = chainOf(10)
    const index = indexOf()
    const gate = Promise.withResolvers<void>()
    const committer: MemoryIndex['committer'] = {
      ...index.committer,
      commit: async commit => {
        if (commit.to.number === 5) await gate.promise
        return index.committer.commit(commit)
      },
    }
    const { until, settle, log } = run({ rpc: createChainRpc([chain]), index: { ...index, committer } })
    await until(cursorAt(index, 4), 'block 5 is being committed')
    await settle()
    chain.drop(5)
    grow(chain, 7, number => (number % 2 === 0 ? [speak(1)] : lively(number)))
    gate.resolve()
    await until(cursorAt(index, 12), 'the new fork is indexed')
    expect(index.logs).toEqual(expected(chain, 12))
    expect(log.lines()).toEqual([])
  })

  it('begins no commit after its subscriber has left', async () => {
    const { chain, index, settle, subscription } = await followed(5)
    subscription.unsubscribe()
    grow(chain, 5, lively)
    await settle()
    expect(index.cursor()).toBe(5)
  })

  it('indexes once for two subscribers', async () => {
    const chain = chainOf(5)
    const index = indexOf()
    const { until, emitted, sync } = run({ rpc: createChainRpc([chain]), index })
    const others: number[] = []
    sync.blocks.subscribe(({ number }) => others.push(number))
    await until(() => emitted.length === 6, 'everything is emitted')
    expect(others).toEqual([0, 1, 2, 3, 4, 5])
    expect(index.batches).toHaveLength(6)
  })

  it('survives a provider that goes back to an older head', async () => {
    const chain = chainOf(20)
    const index = indexOf()
    const old = chainOf(12)
    let behind = false
    const intercept: ChainRpcOptions['intercept'] = (_, call, answer) => (behind ? old.answer(call.method, call.params) : answer())
    const { until, settle, sync } = run({ rpc: createChainRpc([chain], { intercept }), index })
    await until(cursorAt(index, 20), 'it follows')
    behind = true
    await until(() => sync.view.state().headBlock === 12, 'the old head is seen')
    await settle()
    expect(sync.view.state()).toMatchObject({ stalled: false, lagBlocks: 0, indexedBlock: 20 })
    behind = false
    grow(chain, 3, lively)
    await until(cursorAt(index, 23), 'it follows on')
    expect(index.logs).toEqual(expected(chain, 23))
  })

  it('says so when the database is ahead of the chain', async () => {
    const { index, sync: first } = await followed(20)
    await first.stop()
    const old = chainOf(12)
    const { settle, sync, clock } = run({ rpc: createChainRpc([old]), index: index.reopen() })
    await settle()
    expect(sync.view.state()).toMatchObject({ stalled: false, reason: 'block 20 is indexed, but the chain ends at block 12' })
    clock.advance(61_000)
    expect(sync.view.state().stalled).toBe(true)
    grow(old, 9, lively)
    await settle()
    expect(sync.view.state()).toMatchObject({ stalled: false, reason: null, indexedBlock: 21 })
  })
})

it('unsays that the database is ahead of the chain when the chain has come as far and no further', async () => {
  const { chain, index, sync: first } = await followed(20)
  await first.stop()
  const old = chainOf(12)
  let behind = true
  const intercept: ChainRpcOptions['intercept'] = (_, call, answer) => (behind ? old.answer(call.method, call.params) : answer())
  const { until, sync } = run({ rpc: createChainRpc([chain], { intercept }), index: index.reopen() })
  await until(() => sync.view.state().reason !== null, 'it is said')
  behind = false
  await until(() => sync.view.state().reason === null, 'it is unsaid')
  expect(sync.view.state()).toMatchObject({ indexedBlock: 20, headBlock: 20 })
})

it('takes back a block that was replaced when the chain is too short by then to confirm another one', async () => {
  // It was noticed only when the new chain had confirmed as much as the old one had.
  const { chain, until, settle, emitted, sync } = await followed(22, { confirmations: 2, maxReorgDepth: 8 })
  chain.drop(4)
  grow(chain, 3, lively)
  expect(chain.head().header.number).toBe(21)
  await until(() => emitted.at(-1)?.hash === chain.at(19).header.hash, 'the replaced blocks are taken back')
  const asked = emitted.length
  await settle()
  expect(emitted).toHaveLength(asked)
  expect(sync.view.state()).toMatchObject({ indexedBlock: 19, reason: null })
})

it('leaves alone what the chain, having become shorter, still has', async () => {
  const { chain, index, until, settle, emitted, sync } = await followed(22, { confirmations: 2, maxReorgDepth: 8 })
  chain.drop(2)
  grow(chain, 1, lively)
  await until(() => sync.view.state().headBlock === 21, 'the fork is seen')
  await settle()
  expect(emitted.at(-1)?.hash).toBe(chain.at(20).header.hash)
  expect(sync.view.state()).toMatchObject({ indexedBlock: 20, reason: null })
  grow(chain, 2, lively)
  await until(cursorAt(index, 21), 'it follows on')
})

describe('a reorg of indexed blocks', () => {
  const expectStop = async (chains: readonly SimulatedChain[], change: () => void, index = indexOf(), confirmations = 0) => {
    const started = run({ rpc: createChainRpc(chains), index, confirmations })
    await started.until(cursorAt(index, 20), 'it follows')
    const before = [...index.logs]
    change()
    await started.until(() => started.sync.view.state().stalled, 'it stalls')
    await started.settle()
    expect(index.logs).toEqual(before)
    expect(index.cursor()).toBe(20)
    expect(started.completed()).toBe(false)
    return started
  }

  it('stops indexing, is told in health and log, and the head is still seen', async () => {
    const chain = chainOf(20)
    const { sync, log, until } = await expectStop([chain], () => {
      chain.drop(4)
      grow(chain, 6, lively)
    })
    expect(sync.view.state()).toMatchObject({
      stalled: true,
      reason: expect.stringMatching(
        /^the chain has replaced 4 indexed block\(s\) up to block 20; indexing has stopped: .*-- rebuild/,
      ) as unknown,
      reorgs: { count: 1, lastDepth: 4 },
      headBlock: 22,
      indexedBlock: 20,
    })
    expect(log.lines().find(({ msg }) => String(msg).startsWith('indexed blocks are no longer on the chain'))).toMatchObject({
      cursor: 20,
      depth: 4,
      ancestor: 16,
    })
    grow(chain, 3)
    await until(() => sync.view.state().headBlock === 25, 'the head is seen')
  })

  it('is seen at the same height, before the fork is longer', async () => {
    const chain = chainOf(20)
    await expectStop([chain], () => {
      chain.drop(1)
      grow(chain, 1)
    })
  })

  it('is seen below the height of the cursor', async () => {
    const chain = chainOf(20)
    const { sync } = await expectStop([chain], () => {
      chain.drop(8)
      grow(chain, 2)
    })
    expect(sync.view.state().reason).toContain('8 indexed block(s)')
  })

  it('settles the last block of a run when the index goes back to it, and the blocks after it are not confirmed', async () => {
    const chain = chainOf(33)
    const index = indexOf()
    const { until, settle } = run({ rpc: createChainRpc([chain]), index, confirmations: 3, maxReorgDepth: 64, tuning: { liveBlocks: 4 } })
    await until(cursorAt(index, 30), 'it is indexed')
    await settle()
    const { to } = index.batches.find(({ mode }) => mode === 'catchUp') ?? expect.unreachable()
    expect([to.number, index.settled]).toEqual([25, []])
    chain.drop(8)
    grow(chain, 1)
    await until(() => index.settled.length > 0, 'it is settled')
    await settle()
    expect(index.settled).toEqual([25])
    expect(index.cursor()).toBe(25)
    grow(chain, 3)
    await until(cursorAt(index, 26), 'it follows on')
    await settle()
    expect(index.settled).toEqual([25])
  })

  it('above the confirmed head is none', async () => {
    const { chain, index, until, sync } = await followed(23, { confirmations: 3 })
    for (let round = 0; round < 5; round++) {
      chain.drop(3)
      grow(chain, 4, lively)
      await until(cursorAt(index, 21 + round), 'it follows on')
    }
    expect(sync.view.state()).toMatchObject({ stalled: false, reorgs: { count: 0 } })
    expect(index.logs).toEqual(expected(chain, 25))
  })

  // The new chain was shorter: its confirmed block was indexed already, and the blocks above it were not looked at until the head moved.
  it('is seen above the confirmed block, in what was confirmed before', async () => {
    const { chain, index, until, sync } = await followed(20, { confirmations: 4, maxReorgDepth: 8 })
    chain.drop(5)
    grow(chain, 4, lively)
    await until(cursorAt(index, 15), 'the block that is gone is undone')
    expect(index.logs).toEqual(expected(chain, 15))
    expect(sync.view.state()).toMatchObject({ reorgs: { count: 1, lastDepth: 1 }, reason: null })
  })

  it('is found when the service starts', async () => {
    for (const growth of [1, 30, 300]) {
      const { chain, index, sync: first } = await followed(20)
      await first.stop()
      chain.drop(2)
      grow(chain, 2 + growth, lively)
      const second = run({ rpc: createChainRpc([chain]), index: index.reopen(), confirmations: 0 })
      await second.until(() => second.sync.view.state().stalled, 'it stalls')
      expect(second.sync.view.state().reason).toContain('2 indexed block(s)')
      expect(index.cursor()).toBe(20)
    }
  })

  it('that only one of two providers shows is waited out', async () => {
    const chain = chainOf(20)
    const fork = chainOf(20)
    const index = indexOf()
    const { until, settle, sync } = run({ rpc: createChainRpc([fork, chain]), index })
    await until(cursorAt(index, 20), 'it follows')
    fork.drop(2)
    grow(fork, 4)
    await until(
      () => sync.view.state().details.some(detail => detail.includes('a provider has indexed block')),
      'the contradiction is seen',
    )
    await settle()
    expect(sync.view.state()).toMatchObject({ stalled: false, indexedBlock: 20 })
    // The first provider comes round to the other's chain.
    grow(chain, 4, lively)
    fork.drop(4)
    for (let number = 19; number <= 24; number++) fork.adopt(chain.at(number))
    await until(cursorAt(index, 24), 'it follows on')
    expect(index.logs).toEqual(expected(chain, 24))
  })
})

describe('any mixture of faults', () => {
  const fault = fc.constantFrom<RpcFault>(
    { kind: 'timeout' },
    { kind: 'network' },
    { kind: 'http', status: 503, text: '' },
    { kind: 'rate-limited', retryAfterMs: null, text: '' },
    { kind: 'missing', what: 'something' },
    { kind: 'node', code: -32603, text: 'internal error' },
  )
  const lie = fc.constantFrom('drop-logs', 'other-hash', 'removed', 'null', 'twice')
  const trouble = fc.oneof(
    fault.map(one => ({ kind: 'fault', fault: one }) as const),
    lie.map(one => ({ kind: 'lie', lie: one }) as const),
  )
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('grow' as const), blocks: fc.integer({ min: 1, max: 90 }) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), blocks: fc.integer({ min: 1, max: 40 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
  )

  const tell = (one: 'drop-logs' | 'other-hash' | 'removed' | 'null' | 'twice', call: RpcCall, answer: unknown): unknown => {
    // While the other provider fails, no logs in a range are believed, and `null` is read as none. A block has its bloom.
    const isRange = call.method === 'eth_getLogs' && !('blockHash' in (call.params[0] as object))
    if (one === 'null') return isRange ? answer : null
    if (call.method !== 'eth_getLogs' || !Array.isArray(answer) || answer.length === 0) return answer
    const logs = answer as Record<string, unknown>[]
    if (one === 'drop-logs') return isRange ? logs : []
    if (one === 'twice') return [...logs, logs[0]]
    return logs.map((log, at) =>
      at > 0 ? log : one === 'removed' ? { ...log, removed: true } : { ...log, blockHash: `0x${'ee'.repeat(32)}` },
    )
  }

  it('ends in the index of a faultless run', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 8 }),
        fc.array(fc.record({ after: fc.nat({ max: 40 }), provider: fc.constantFrom('rpc-1', 'rpc-2'), trouble }), { maxLength: 12 }),
        fc.array(fc.record({ after: fc.nat({ max: 20 }), when: fc.constantFrom('before' as const, 'after' as const) }), { maxLength: 5 }),
        fc.integer({ min: 0, max: 3 }),
        async (steps, troubles, failures, confirmations) => {
          const chain = chainOf(30)
          let index = indexOf()
          let calls = 0
          const pending = [...troubles]
          const intercept: ChainRpcOptions['intercept'] = (provider, call, answer) => {
            calls++
            const at = pending.findIndex(one => one.provider === provider && one.after <= calls)
            const [hit] = at < 0 ? [] : pending.splice(at, 1)
            if (hit?.trouble.kind === 'fault') throw new RpcError(hit.trouble.fault, provider)
            return hit === undefined ? answer() : tell(hit.trouble.lie, call, answer())
          }
          let commits = 0
          const failing = [...failures]
          const fail: Parameters<MemoryIndex['fail']>[0] = () => {
            commits++
            const at = failing.findIndex(({ after }) => after <= commits)
            const [hit] = at < 0 ? [] : failing.splice(at, 1)
            return hit === undefined ? undefined : { when: hit.when, error: new Error('the database failed') }
          }
          const start = () => {
            index.fail(fail)
            return run({ rpc: createChainRpc([chain, chain], { intercept }), index, confirmations })
          }

          let current = start()
          for (const one of steps) {
            if (one.kind === 'grow') grow(chain, one.blocks, lively)
            else if (one.kind === 'wait') {
              const goal = Math.min((index.cursor() ?? -1) + one.blocks, chain.head().header.number - confirmations)
              await current.until(() => (index.cursor() ?? -1) >= goal, `block ${goal} is indexed`)
            } else {
              await current.sync.stop()
              index = index.reopen()
              current = start()
            }
          }
          const end = chain.head().header.number - confirmations
          await current.until(() => current.sync.view.state().indexedBlock === end, 'everything is indexed')
          const numbers = current.emitted.map(({ number }) => number)
          expect(index.logs).toEqual(expected(chain, end))
          expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
          expect(current.sync.view.state()).toMatchObject({ stalled: false, indexedBlock: end })
          await current.sync.stop()
        },
      ),
      { numRuns: 40 },
    )
  })
})
