import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLogRanges } from '#chain/logs/logRanges.ts'
import type { Hex } from '#domain/address.ts'
import type { RpcCall } from '#rpc/rpcEndpoint.ts'
import { type ChainRpcOptions, createChainRpc } from '#test/support/chainRpc.ts'
import { createLogLines } from '#test/support/logLines.ts'
import { createManualClock } from '#test/support/manualClock.ts'
import { createSimulatedChain, NodeFailure, type SimulatedChain, testAddress } from '#test/support/simulatedChain.ts'

interface RawLog {
  readonly blockNumber: Hex
  readonly logIndex: Hex
  readonly data: Hex
}
type Lie = (logs: readonly RawLog[]) => readonly RawLog[]

const WATCHED = Array.from({ length: 12 }, (_, index) => testAddress(index))
const hex = (value: number): Hex => `0x${value.toString(16)}`
const placeOf = ({ blockNumber, logIndex }: RawLog) => Number(blockNumber) + Number(logIndex)

const chainOf = (logsPerBlock: readonly (readonly number[])[]): SimulatedChain => {
  const chain = createSimulatedChain()
  for (const speakers of logsPerBlock) chain.mine(speakers.map(index => ({ address: testAddress(index) })))
  return chain
}
const isLogs = ({ method }: RpcCall) => method === 'eth_getLogs'
const spanOf = ({ params }: RpcCall) => {
  const { fromBlock, toBlock } = params[0] as { fromBlock: Hex; toBlock: Hex }
  return Number(toBlock) - Number(fromBlock) + 1
}

const fetchAll = (chain: SimulatedChain, options: ChainRpcOptions, more: Partial<Parameters<typeof createLogRanges>[0]> = {}) => {
  const { header } = chain.head()
  const ranges = createLogRanges({ rpc: createChainRpc([chain, chain], options), concurrency: 1, ...more })
  return ranges.fetch({ from: 0, to: header.number, end: header, addresses: WATCHED, maxLogs: 1e9 })
}

describe('logs of old blocks, of which a second provider is asked', () => {
  /** A preferred provider that left logs of old blocks out, all of them at times, was believed: the index lacked them for ever. */
  it('are right when one of the two leaves some out, makes some up or alters them, whatever its limits', async () => {
    const lies: readonly ((every: number) => Lie)[] = [
      () => () => [],
      every => logs => logs.filter(log => placeOf(log) % every !== 0),
      every => logs => logs.flatMap(log => (placeOf(log) % every === 0 ? [log, { ...log, logIndex: hex(500 + placeOf(log)) }] : log)),
      every => logs => logs.map(log => (placeOf(log) % every === 0 ? { ...log, data: '0x99' } : log)),
      () => logs => [...logs, ...logs],
    ]
    const blocks = fc.array(fc.array(fc.nat({ max: 15 }), { maxLength: 6 }), { minLength: 1, maxLength: 60 })
    const limits = fc.tuple(fc.integer({ min: 1, max: 70 }), fc.integer({ min: 1, max: 70 }))
    const lie = fc.tuple(fc.constantFrom(...lies), fc.integer({ min: 1, max: 4 }))
    await fc.assert(
      fc.asyncProperty(blocks, limits, lie, fc.constantFrom('rpc-1', 'rpc-2'), async (contents, [first, second], [kind, every], liar) => {
        const chain = chainOf(contents)
        const intercept = (provider: string, call: RpcCall, answer: () => unknown) => {
          if (!isLogs(call)) return answer()
          if (spanOf(call) > (provider === 'rpc-1' ? first : second)) throw new NodeFailure(-32_000, 'no')
          const logs = answer() as readonly RawLog[]
          return provider === liar ? kind(every)(logs) : logs
        }
        const { logs } = await fetchAll(chain, { intercept }, { concurrency: 3 })
        expect(logs).toEqual(chain.logs().filter(({ address }) => WATCHED.includes(address)))
      }),
      { numRuns: 150 },
    )
  })

  it('name the provider that was wrong, once', async () => {
    const chain = chainOf([[1, 2], [3], [1]])
    const { lines, logger } = createLogLines()
    const intercept = (provider: string, call: RpcCall, answer: () => unknown) => (isLogs(call) && provider === 'rpc-1' ? [] : answer())
    await fetchAll(chain, { intercept }, { logger })
    expect(lines()).toMatchObject([{ provider: 'rpc-1', block: 1 }])
  })

  it('are the same when the two number them differently', async () => {
    const chain = chainOf([[1, 2, 1], [3], [2, 2]])
    const moved = (log: RawLog) => ({ ...log, logIndex: hex(Number(log.logIndex) + 7) })
    const intercept = (provider: string, call: RpcCall, answer: () => unknown) => {
      if (!isLogs(call)) return call.method.startsWith('eth_getBlockBy') ? answer() : expect.unreachable(call.method)
      return provider === 'rpc-1' ? answer() : (answer() as readonly RawLog[]).map(moved)
    }
    await expect(fetchAll(chain, { intercept })).resolves.toEqual({ logs: chain.logs(), to: 3 })
  })

  it('are not believed when the two differ and no receipts decide', async () => {
    const chain = chainOf([[1, 2], [3]])
    const intercept = (provider: string, call: RpcCall, answer: () => unknown) => {
      if (isLogs(call)) return provider === 'rpc-1' ? answer() : []
      if (call.method.includes('Receipt')) throw new NodeFailure(-32_601, 'the method does not exist')
      return answer()
    }
    await expect(fetchAll(chain, { intercept })).rejects.toThrow('different logs of block 1, and no receipts')
  })

  it('are the first one’s when the second fails', async () => {
    const chain = chainOf([[1, 2], [3]])
    const intercept = (provider: string, call: RpcCall, answer: () => unknown) => {
      if (isLogs(call) && provider === 'rpc-2') throw new NodeFailure(4_444, 'pruned history unavailable')
      return answer()
    }
    await expect(fetchAll(chain, { intercept })).resolves.toEqual({ logs: chain.logs(), to: 2 })
  })

  it('wait for a silent second one no longer than 10 s in all', async () => {
    const chain = chainOf(Array.from({ length: 40 }, () => [1]))
    const clock = createManualClock()
    let asked = 0
    const intercept = (provider: string, call: RpcCall, answer: () => unknown) => {
      if (!isLogs(call)) return answer()
      if (provider === 'rpc-2') {
        asked++
        return new Promise(() => undefined)
      }
      if (spanOf(call) > 2) throw new NodeFailure(-32_000, 'no')
      return answer()
    }
    const ranges = createLogRanges({ rpc: createChainRpc([chain, chain], { intercept }), concurrency: 1, clock })
    const { header } = chain.head()
    const query = { from: 0, to: header.number, end: header, addresses: WATCHED, maxLogs: 1e9 }
    // The first range is one query, in parts; the second one is many.
    for (let round = 0; round < 2; round++) await expect(ranges.fetch(query)).resolves.toEqual({ logs: chain.logs(), to: 40 })
    expect(clock.slept).toEqual([3_000, 3_000, 3_000, 1_000])
    expect(asked).toBe(4)
  })
})
