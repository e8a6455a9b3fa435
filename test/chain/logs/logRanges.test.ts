import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLogRanges, type LogRange } from '#chain/logs/logRanges.ts'
import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { RpcCall } from '#rpc/rpcEndpoint.ts'
import { RpcError } from '#rpc/rpcFault.ts'
import { createChainRpc } from '#test/support/chainRpc.ts'
import { createSimulatedChain, NodeFailure, type SimulatedChain, testAddress } from '#test/support/simulatedChain.ts'

/** A provider's limit, in its words. */
type Limit =
  | { readonly kind: 'blocks'; readonly max: number; readonly message: (from: number, to: number) => string }
  | { readonly kind: 'results'; readonly max: number; readonly message: (from: number, to: number) => string }
  | { readonly kind: 'addresses'; readonly max: number; readonly message: (from: number, to: number) => string }
const wordings = {
  blocks: [
    (max: number) => () => `eth_getLogs is limited to a ${max.toLocaleString('en')} range`,
    (max: number) => () => `block range exceeds ${max}`,
    (max: number) => (from: number) => `this block range should work: [${hex(from)}, ${hex(from + max - 1)}]`,
    () => () => 'block range is too wide',
    () => () => 'Block range limit exceeded.',
  ],
  results: [
    () => () => 'query returned more than 10000 results',
    () => () => 'Log response size exceeded.',
    () => (from: number, to: number) =>
      `query exceeds max results 20000, retry with the range ${from}-${from + Math.floor((to - from) / 3)}`,
    () => () => 'query timeout exceeded',
  ],
  addresses: [
    (max: number) => () => `too many addresses, limit is ${max}`,
    () => () => 'exceed max addresses or topics per search position',
  ],
} as const

const limitArbitrary: fc.Arbitrary<Limit> = fc
  .record({ kind: fc.constantFrom('blocks', 'results', 'addresses'), max: fc.integer({ min: 1, max: 40 }), wording: fc.nat() })
  .map(({ kind, max, wording }) => {
    const choices = wordings[kind]
    const choose = choices[wording % choices.length] ?? choices[0]
    // Fewer results than a block may hold could never be satisfied.
    return { kind, max: kind === 'results' ? max + 12 : max, message: choose(max) }
  })
const blocksArbitrary = fc.array(fc.array(fc.nat({ max: 15 }), { maxLength: 10 }), { minLength: 1, maxLength: 80 })
const fifteen = Array.from({ length: 12 }, (_, index) => testAddress(index))

describe('logs in a range', () => {
  it('are exactly those of the addresses, in order, whatever the limits and their wording', async () => {
    await fc.assert(
      fc.asyncProperty(blocksArbitrary, fc.array(limitArbitrary, { maxLength: 3 }), async (blocks, limits) => {
        const chain = chainOf(blocks)
        const ranges = createLogRanges({ rpc: createChainRpc([chain], { intercept: limiting(limits) }), concurrency: 3 })
        const { header } = chain.head()
        // Twice: what was learned the first time must not spoil the second.
        for (const from of [0, Math.min(3, header.number)]) {
          const range = await ranges.fetch({ from, to: header.number, end: header, addresses: fifteen, maxLogs: 1e9 })
          expect(range).toEqual({ logs: expected(chain, from, header.number, fifteen), to: header.number })
        }
      }),
      { numRuns: 150 },
    )
  })

  it('of a contract whose topics are said are exactly those that fit, beside all of the others, whatever the limits', async () => {
    const topic = (index: number): Hex => `0x${index.toString(16).padStart(64, '0')}`
    const manager = testAddress(20)
    const block = fc.array(fc.tuple(fc.boolean(), fc.nat({ max: 3 }), fc.nat({ max: 12 })), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(block, { minLength: 1, maxLength: 40 }),
        fc.uniqueArray(fc.nat({ max: 12 }), { minLength: 1 }),
        fc.array(limitArbitrary, { maxLength: 2 }),
        async (blocks, ids, limits) => {
          const chain = createSimulatedChain()
          for (const logs of blocks) {
            chain.mine(
              logs.map(([ofManager, kind, id]) => ({
                address: ofManager ? manager : testAddress(id),
                topics: [topic(100 + kind), topic(id)],
              })),
            )
          }
          const ranges = createLogRanges({ rpc: createChainRpc([chain], { intercept: limiting(limits) }), concurrency: 2 })
          const { header } = chain.head()
          const topics = [[topic(100), topic(102)], ids.map(topic)]
          const query = { from: 0, to: header.number, end: header, addresses: fifteen, filtered: [{ address: manager, topics }] }
          const fits = ({ address, topics: [kind, id] }: ChainLog) =>
            address === manager
              ? [topic(100), topic(102)].includes(kind ?? '0x') && ids.map(topic).includes(id ?? '0x')
              : fifteen.includes(address)
          for (let round = 0; round < 2; round++)
            expect((await ranges.fetch({ ...query, maxLogs: 1e9 })).logs).toEqual(chain.logs().filter(fits))
        },
      ),
      { numRuns: 60 },
    )
  })

  it('of other topics than those that were asked for are not believed', async () => {
    const chain = createSimulatedChain()
    chain.mine([{ address: testAddress(1), topics: [`0x${'11'.repeat(32)}`] }])
    const intercept = (_: string, call: RpcCall, answer: () => unknown) => {
      if (call.method !== 'eth_getLogs') return answer()
      const { topics: _topics, ...filter } = call.params[0] as Record<string, unknown>
      return chain.answer(call.method, [filter])
    }
    const ranges = createLogRanges({ rpc: createChainRpc([chain], { intercept }), concurrency: 1 })
    const filtered = [{ address: testAddress(1), topics: [[`0x${'22'.repeat(32)}` as const]] }]
    const query = { from: 0, to: 1, end: chain.head().header, addresses: [], filtered, maxLogs: 1e9 }
    await expect(ranges.fetch(query)).rejects.toMatchObject({ code: 'rpc_inconsistent' })
  })

  it('end early at a complete block when there are more than asked for', async () => {
    await fc.assert(
      fc.asyncProperty(blocksArbitrary, fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 9 }), async (blocks, maxLogs, max) => {
        const chain = chainOf(blocks)
        const limit: Limit = { kind: 'blocks', max, message: () => `block range exceeds ${max}` }
        const ranges = createLogRanges({ rpc: createChainRpc([chain], { intercept: limiting([limit]) }), concurrency: 2 })
        const { header } = chain.head()
        const query = { to: header.number, end: header, addresses: fifteen, maxLogs }
        // The first call may be one piece of the whole range, before the limit is known; the second is planned by it.
        await ranges.fetch({ ...query, from: 0 })
        const range: LogRange = await ranges.fetch({ ...query, from: 0 })
        expect(range.logs).toEqual(expected(chain, 0, range.to, fifteen))
        if (range.to < header.number) expect(range.logs.length).toBeGreaterThan(maxLogs)
      }),
      { numRuns: 60 },
    )
  })

  const lies: readonly (readonly [string, (logs: Record<string, unknown>[]) => unknown, string])[] = [
    ['a log of another address', logs => [{ ...logs[0], address: testAddress(99) }, ...logs.slice(1)], 'was not asked for'],
    ['a log outside the range', logs => [{ ...logs[0], blockNumber: '0xff' }, ...logs.slice(1)], 'a log of block 255 in'],
    ['two logs of one place', logs => [...logs, { ...logs[0], data: '0x1234' }], 'two logs 0'],
    ['two hashes of one block', logs => [{ ...logs[0], blockHash: `0x${'ee'.repeat(32)}` }, ...logs.slice(1)], 'logs of two blocks'],
    ['a removed log', logs => [{ ...logs[0], removed: true }, ...logs.slice(1)], 'removed'],
  ]
  it.each(lies)('are not believed with %s', async (_, lie, sentence) => {
    const chain = chainOf([[1, 2, 1], [2]])
    const intercept = (_provider: string, call: RpcCall, answer: () => unknown) =>
      call.method === 'eth_getLogs' ? lie(answer() as Record<string, unknown>[]) : answer()
    const ranges = createLogRanges({ rpc: createChainRpc([chain], { intercept }), concurrency: 2 })
    const query = { from: 0, to: 2, end: chain.head().header, addresses: fifteen, maxLogs: 1e9 }
    await expect(ranges.fetch(query)).rejects.toMatchObject({
      code: 'rpc_inconsistent',
      message: expect.stringContaining(sentence) as unknown,
    })
  })

  // Some nodes add logs of replaced blocks: indexing stopped there, and asked the same for ever.
  const elsewhere = { blockHash: `0x${'ee'.repeat(32)}`, transactionHash: `0x${'ef'.repeat(32)}`, removed: true }
  const additions: readonly (readonly [string, (logs: Record<string, unknown>[]) => unknown])[] = [
    ['of another block beside each', logs => logs.flatMap(log => [{ ...log, ...elsewhere }, log])],
    ['of another block where this one has none', logs => [...logs, { ...logs[0], ...elsewhere, blockNumber: '0x3' }]],
    ['that are there unmarked, too', logs => logs.flatMap(log => [log, { ...log, removed: true }])],
  ]
  it.each(additions)('are those of the chain when the answer has logs marked as removed %s', async (_, added) => {
    const chain = chainOf([[1, 2, 1], [2], []])
    const intercept = (_provider: string, call: RpcCall, answer: () => unknown) =>
      call.method === 'eth_getLogs' ? added(answer() as Record<string, unknown>[]) : answer()
    const ranges = createLogRanges({ rpc: createChainRpc([chain], { intercept }), concurrency: 2 })
    const query = { from: 0, to: 3, end: chain.head().header, addresses: fifteen, maxLogs: 1e9 }
    await expect(ranges.fetch(query)).resolves.toEqual({ logs: chain.logs(), to: 3 })
  })

  // A node fails at the logs of a block for ever: of a transaction of the system, say. Indexing stopped before it.
  it.each([
    [-32_000, 2],
    [-32_602, 1],
    [-32_603, 4],
  ])('are taken from the receipts of a single block that fails with %i, block %i of four', async (code, bad) => {
    const chain = chainOf([[1], [2], [2], [1]])
    const asked: string[] = []
    const intercept = (_provider: string, call: RpcCall, answer: () => unknown) => {
      const { fromBlock, toBlock } = (call.params[0] ?? {}) as { fromBlock?: string; toBlock?: string }
      if (call.method === 'eth_getTransactionReceipt') asked.push(call.method)
      if (call.method === 'eth_getLogs' && Number(fromBlock) <= bad && Number(toBlock) >= bad) throw new NodeFailure(code, 'no')
      return answer()
    }
    const ranges = createLogRanges({ rpc: createChainRpc([chain], { intercept }), concurrency: 1 })
    const query = { from: 1, to: 4, end: chain.head().header, addresses: fifteen, maxLogs: 1e9 }
    await expect(ranges.fetch(query)).resolves.toEqual({ logs: chain.logs(), to: 4 })
    expect(asked).toHaveLength(1)
  })

  it('are not taken from a provider that does not have the end of the range, or another one', async () => {
    const chain = chainOf([[1], [2], [3], [1]])
    const behind = chainOf([[1]])
    const fork = chainOf([[1], [2], [3]])
    fork.mine([{ address: testAddress(2) }])
    const ranges = createLogRanges({ rpc: createChainRpc([behind, fork, chain]), concurrency: 2 })
    const end = chain.head().header
    // The same blocks on every chain until the third.
    const query = { from: 0, to: 4, end, addresses: fifteen, maxLogs: 1e9 }
    await expect(ranges.fetch(query)).resolves.toEqual({ logs: chain.logs(), to: 4 })
    const lone = createLogRanges({ rpc: createChainRpc([behind]), concurrency: 2 })
    await expect(lone.fetch(query)).rejects.toMatchObject({ fault: { kind: 'missing' } })
  })

  // What a provider left out of an old range was never missed: nothing there is held against a bloom.
  it.each([1_000, 3_000])('are all there though a provider gives the first %i of them and says nothing', async most => {
    const chain = chainOf(Array.from({ length: 9 }, (_, block) => Array.from({ length: block * 250 }, (_, index) => index % 12)))
    const intercept = (_: string, call: RpcCall, answer: () => unknown) =>
      call.method === 'eth_getLogs' ? (answer() as readonly unknown[]).slice(0, most) : answer()
    const ranges = createLogRanges({ rpc: createChainRpc([chain], { intercept }), concurrency: 2 })
    const query = { from: 0, to: 9, end: chain.head().header, addresses: fifteen, maxLogs: 1e9 }
    const { logs } = await ranges.fetch(query)
    expect(logs.length).toBe(9_000)
    expect(logs).toEqual(chain.logs())
  })

  it('of a round number are believed where they can not be asked for in parts', async () => {
    const chain = chainOf([Array.from({ length: 1_000 }, () => 1)])
    const ranges = createLogRanges({ rpc: createChainRpc([chain]), concurrency: 2 })
    const query = { from: 0, to: 1, end: chain.head().header, addresses: fifteen, maxLogs: 1e9 }
    await expect(ranges.fetch(query)).resolves.toEqual({ logs: chain.logs(), to: 1 })
  })

  it('of no addresses are none, without a call', async () => {
    const rpc = createChainRpc([chainOf([])], { intercept: () => expect.unreachable('asked for nothing') })
    const end = chainOf([]).head().header
    await expect(createLogRanges({ rpc, concurrency: 2 }).fetch({ from: 0, to: 7, end, addresses: [], maxLogs: 1 })).resolves.toEqual({
      logs: [],
      to: 7,
    })
  })

  describe('that time out', () => {
    const timingOutAbove = (limit: number, asked: number[]) => (provider: string, call: RpcCall, answer: () => unknown) => {
      if (call.method !== 'eth_getLogs') return answer()
      const { fromBlock, toBlock } = call.params[0] as { fromBlock: string; toBlock: string }
      const blocks = Number(toBlock) - Number(fromBlock) + 1
      asked.push(blocks)
      if (blocks > limit) throw new RpcError({ kind: 'timeout' }, provider)
      return answer()
    }

    it('are asked for in smaller pieces', async () => {
      const chain = chainOf(Array.from({ length: 600 }, () => [1]))
      const asked: number[] = []
      const ranges = createLogRanges({ rpc: createChainRpc([chain], { intercept: timingOutAbove(150, asked) }), concurrency: 1 })
      const query = { from: 1, to: 600, end: chain.head().header, addresses: fifteen, maxLogs: 1e9 }
      await expect(ranges.fetch(query)).resolves.toEqual({ logs: chain.logs(), to: 600 })
      // Each is followed by two of one block, which show that it was the size.
      expect(asked.slice(0, 7)).toEqual([600, 1, 1, 300, 1, 1, 150])
    })

    it('whatever their size are given up, and asked for in the same size the next time', async () => {
      const chain = chainOf(Array.from({ length: 64 }, () => [1]))
      const asked: number[] = []
      const ranges = createLogRanges({ rpc: createChainRpc([chain], { intercept: timingOutAbove(0, asked) }), concurrency: 1 })
      const query = { from: 1, to: 64, end: chain.head().header, addresses: fifteen, maxLogs: 1e9 }
      await expect(ranges.fetch(query)).rejects.toMatchObject({ fault: { kind: 'timeout' } })
      expect(asked).toEqual([64, 1])
      await expect(ranges.fetch(query)).rejects.toMatchObject({ fault: { kind: 'timeout' } })
      expect(asked.slice(2)).toEqual([64, 1])
    })
  })

  it('come from the receipts of a block of which one address is refused still', async () => {
    const chain = chainOf([[1, 1, 1]])
    const limit: Limit = { kind: 'results', max: 2, message: () => 'query returned more than 2 results' }
    const ranges = createLogRanges({ rpc: createChainRpc([chain], { intercept: limiting([limit]) }), concurrency: 2 })
    const query = { from: 0, to: 1, end: chain.head().header, addresses: fifteen, maxLogs: 1e9 }
    await expect(ranges.fetch(query)).resolves.toEqual({ logs: chain.at(1).logs, to: 1 })
  })
})

function hex(value: number) {
  return `0x${value.toString(16)}`
}

function limiting(limits: readonly Limit[]) {
  return (_: string, call: RpcCall, answer: () => unknown) => {
    if (call.method !== 'eth_getLogs') return answer()
    const {
      fromBlock,
      toBlock,
      address,
      topics = [],
    } = call.params[0] as {
      fromBlock: string
      toBlock: string
      address: readonly Address[]
      topics?: readonly (readonly Hex[] | null)[]
    }
    const width = Math.max(address.length, ...topics.map(some => some?.length ?? 0))
    const [from, to] = [Number(fromBlock), Number(toBlock)]
    const logs = answer() as unknown[]
    for (const { kind, max, message } of limits) {
      const size = kind === 'blocks' ? to - from + 1 : kind === 'results' ? logs.length : width
      if (size > max) throw new NodeFailure(-32005, message(from, to))
    }
    return logs
  }
}

/** `logsPerBlock[n]` are the addresses that speak in block n+1. */
function chainOf(logsPerBlock: readonly (readonly number[])[]): SimulatedChain {
  const chain = createSimulatedChain()
  for (const speakers of logsPerBlock) chain.mine(speakers.map(index => ({ address: testAddress(index) })))
  return chain
}

function expected(chain: SimulatedChain, from: number, to: number, addresses: readonly Address[]) {
  return chain.logs().filter(({ address, blockNumber }) => addresses.includes(address) && blockNumber >= from && blockNumber <= to)
}
