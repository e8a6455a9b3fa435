import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLogRanges, type LogRangeQuery } from '#chain/logs/logRanges.ts'
import type { Address, Hex } from '#domain/address.ts'
import type { RpcCall } from '#rpc/rpcEndpoint.ts'
import { RpcError, type RpcFault } from '#rpc/rpcFault.ts'
import { type ChainRpcOptions, createChainRpc } from '#test/support/chainRpc.ts'
import { createSimulatedChain, NodeFailure, type SimulatedChain, testAddress } from '#test/support/simulatedChain.ts'

const topic = (index: number): Hex => `0x${index.toString(16).padStart(64, '0')}`
const MOVED = topic(1)
const OTHER = topic(2)

interface Asked {
  readonly blocks: number
  /** `null`: any. */
  readonly addresses: number | null
}

interface RangeFilter {
  readonly fromBlock: string
  readonly toBlock: string
  readonly address?: readonly Address[]
  readonly topics?: readonly (readonly Hex[] | null)[]
}

/** Notes every query of logs of a provider that takes few addresses in one query. */
const noting = (asked: Asked[], intercept?: ChainRpcOptions['intercept'], maxAddresses = 5): ChainRpcOptions => ({
  maxAddresses,
  intercept: (provider, call, answer) => {
    if (call.method === 'eth_getLogs') {
      const { fromBlock, toBlock, address } = call.params[0] as RangeFilter
      asked.push({ blocks: Number(toBlock) - Number(fromBlock) + 1, addresses: address?.length ?? null })
    }
    return intercept === undefined ? answer() : intercept(provider, call, answer)
  },
})

/** Two logs of watched tokens in each block, and `foreign` logs of others. */
const mine = (chain: SimulatedChain, blocks: number, foreign: number): SimulatedChain => {
  for (let number = 0; number < blocks; number++) {
    const own = [0, 1].map(index => ({ address: testAddress((number * 7 + index) % 60), topics: [MOVED] }))
    const others = Array.from({ length: foreign }, (_, index) => ({ address: testAddress(1_000 + index), topics: [MOVED] }))
    chain.mine([...own, ...others])
  }
  return chain
}
const chainOf = (blocks: number, foreign: number) => mine(createSimulatedChain(), blocks, foreign)
const sixty = Array.from({ length: 60 }, (_, index) => testAddress(index))

const queryOf = (chain: SimulatedChain, changed: Partial<LogRangeQuery> = {}): LogRangeQuery => {
  const { header } = chain.head()
  return { from: 1, to: header.number, end: header, addresses: sixty, topics: [MOVED], maxLogs: 1e9, ...changed }
}
const wanted = (chain: SimulatedChain) => chain.logs().filter(({ address }) => sixty.includes(address))
const total = (asked: Asked[]) => asked.splice(0).length

describe('a list of addresses longer than a provider takes', () => {
  it('is left out where the chain has few foreign logs', async () => {
    const chain = chainOf(200, 2)
    const asked: Asked[] = []
    const ranges = createLogRanges({ rpc: createChainRpc([chain], noting(asked)), concurrency: 2 })
    await expect(ranges.fetch(queryOf(chain))).resolves.toEqual({ logs: wanted(chain), to: 200 })
    expect(asked.every(({ addresses }) => addresses === null)).toBe(true)
    expect(total(asked)).toBeLessThan(12)
    await ranges.fetch(queryOf(chain))
    expect(total(asked)).toBeLessThan(12)
  })

  it('is named in parts where the chain has many, after a few blocks have shown it', async () => {
    const chain = chainOf(40, 300)
    const asked: Asked[] = []
    const ranges = createLogRanges({ rpc: createChainRpc([chain], noting(asked)), concurrency: 2 })
    await expect(ranges.fetch(queryOf(chain))).resolves.toEqual({ logs: wanted(chain), to: 40 })
    const byTopic = asked.filter(({ addresses }) => addresses === null)
    expect(byTopic.reduce((sum, { blocks }) => sum + blocks, 0)).toBeLessThanOrEqual(8)
    expect(total(asked) - byTopic.length).toBe(12)
  })

  it('is left out again soon after the chain has become quiet', async () => {
    const chain = chainOf(40, 300)
    const asked: Asked[] = []
    const ranges = createLogRanges({ rpc: createChainRpc([chain], noting(asked)), concurrency: 1 })
    await ranges.fetch(queryOf(chain))
    mine(chain, 40, 0)
    const range = queryOf(chain, { from: 41 })
    asked.length = 0
    const queries: number[] = []
    for (let round = 0; round < 40; round++) {
      await ranges.fetch(range)
      queries.push(total(asked))
    }
    expect(queries[0]).toBeGreaterThan(12)
    expect(queries.at(-1)).toBe(1)
  })

  it('is never left out when topics do not matter, or when it fits', async () => {
    const chain = chainOf(50, 0)
    const asked: Asked[] = []
    const { topics: _, ...anyTopic } = queryOf(chain)
    await createLogRanges({ rpc: createChainRpc([chain], noting(asked)), concurrency: 2 }).fetch(anyTopic)
    await createLogRanges({ rpc: createChainRpc([chain], noting(asked, undefined, 60)), concurrency: 2 }).fetch(queryOf(chain))
    expect(asked.filter(({ addresses }) => addresses === null)).toEqual([])
    expect(asked).toHaveLength(13)
  })

  const refusals: readonly (readonly [string, RpcFault])[] = [
    ['refuses', { kind: 'rejected', code: -32602, text: 'invalid params' }],
    ['fails', { kind: 'node', code: -32701, text: 'an address, please' }],
    ['takes too long', { kind: 'timeout' }],
  ]
  it.each(refusals)('is named to a provider that %s without it, also in the next ranges', async (_, fault) => {
    const chain = chainOf(60, 2)
    const asked: Asked[] = []
    const intercept = (provider: string, { params }: RpcCall, answer: () => unknown) => {
      const { address, fromBlock } = (params[0] ?? {}) as Partial<RangeFilter>
      if (fromBlock !== undefined && address === undefined) throw new RpcError(fault, provider)
      return answer()
    }
    const ranges = createLogRanges({ rpc: createChainRpc([chain], noting(asked, intercept)), concurrency: 1 })
    await expect(ranges.fetch(queryOf(chain))).resolves.toEqual({ logs: wanted(chain), to: 60 })
    // Also of one block, and in vain.
    expect(asked.filter(({ addresses }) => addresses === null)).toHaveLength(2)
    asked.length = 0
    for (let round = 0; round < 20; round++) await ranges.fetch(queryOf(chain))
    expect(asked.filter(({ addresses }) => addresses === null)).toHaveLength(0)
  })

  it('is named for a block that holds too many foreign logs', async () => {
    const chain = chainOf(20, 30)
    const intercept = (_: string, call: RpcCall, answer: () => unknown) => {
      const logs = answer()
      if (call.method === 'eth_getLogs' && (logs as unknown[]).length > 25)
        throw new NodeFailure(-32005, 'query returned more than 25 results')
      return logs
    }
    const ranges = createLogRanges({ rpc: createChainRpc([chain], { intercept, maxAddresses: 5 }), concurrency: 2 })
    for (let round = 0; round < 3; round++) await expect(ranges.fetch(queryOf(chain))).resolves.toEqual({ logs: wanted(chain), to: 20 })
  })

  it('brings the same logs by address and by topic', async () => {
    const block = fc.array(fc.tuple(fc.nat({ max: 90 }), fc.boolean()), { maxLength: 8 })
    const trouble = fc.array(fc.constantFrom('none', 'none', 'address-required', 'density', 'blocks', 'timeout'), {
      minLength: 1,
      maxLength: 12,
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(block, { minLength: 1, maxLength: 60 }),
        trouble,
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 5, max: 80 }),
        async (blocks, troubles, maxAddresses, maxLogs) => {
          const chain = createSimulatedChain()
          for (const logs of blocks)
            chain.mine(logs.map(([index, moved]) => ({ address: testAddress(index), topics: [moved ? MOVED : OTHER] })))
          let at = 0
          const intercept = (provider: string, call: RpcCall, answer: () => unknown) => {
            const { address, fromBlock, toBlock } = (call.params[0] ?? {}) as Partial<RangeFilter>
            if (fromBlock === undefined || address !== undefined) return answer()
            const trouble = troubles[at++ % troubles.length]
            if (trouble === 'address-required') throw new NodeFailure(-32701, 'Please specify an address in your request')
            if (trouble === 'density') throw new NodeFailure(-32005, 'query returned more than 10000 results')
            if (trouble === 'blocks' && fromBlock !== toBlock) throw new NodeFailure(-32005, 'block range is too wide')
            if (trouble === 'timeout') throw new RpcError({ kind: 'timeout' }, provider)
            return answer()
          }
          const ranges = createLogRanges({ rpc: createChainRpc([chain], { intercept, maxAddresses }), concurrency: 3 })
          const all = chain.logs().filter(({ address, topics }) => sixty.includes(address) && topics[0] === MOVED)
          for (let from = 1; from < chain.head().header.number; ) {
            const range = await ranges.fetch(queryOf(chain, { from, maxLogs }))
            expect(range.logs).toEqual(all.filter(({ blockNumber }) => blockNumber >= from && blockNumber <= range.to))
            expect(range.to).toBeGreaterThanOrEqual(from)
            from = range.to + 1
          }
        },
      ),
      { numRuns: 100 },
    )
  })

  it('keeps of the logs by topic only the wanted ones, and believes no lie about those', async () => {
    const chain = chainOf(4, 2)
    const lying = (change: (logs: Record<string, unknown>[]) => unknown) => {
      const intercept = (_: string, call: RpcCall, answer: () => unknown) =>
        call.method === 'eth_getLogs' ? change(answer() as Record<string, unknown>[]) : answer()
      return createLogRanges({ rpc: createChainRpc([chain], { intercept, maxAddresses: 5 }), concurrency: 1 }).fetch(queryOf(chain))
    }
    const inconsistent = { code: 'rpc_inconsistent' }
    await expect(lying(logs => [{ ...logs[0], topics: [OTHER] }, ...logs.slice(1)])).resolves.toEqual({
      logs: wanted(chain).slice(1),
      to: 4,
    })
    await expect(lying(logs => [{ ...logs[0], blockNumber: '0xff' }, ...logs.slice(1)])).rejects.toMatchObject(inconsistent)
    await expect(lying(logs => [{ ...logs[0], removed: true }, ...logs.slice(1)])).rejects.toMatchObject(inconsistent)
    await expect(lying(logs => [...logs, { ...logs[0], data: '0x1234' }])).rejects.toMatchObject(inconsistent)
  })
})
