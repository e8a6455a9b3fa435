import { describe, expect, it } from 'vitest'
import { createChainSource } from '#chain/chainSource.ts'
import type { BatchMode, ChainLog } from '#domain/block.ts'
import { fetchSpan } from '#sync/prefetch.ts'
import { type ChainRpcOptions, createChainRpc } from '#test/support/chainRpc.ts'
import { createMemoryIndex } from '#test/support/memoryCommitter.ts'
import { createSimulatedChain, type SimulatedChain, testAddress } from '#test/support/simulatedChain.ts'

const contract = testAddress(1)

const stranger = testAddress(9)

function chainOf(indexOf: (position: number) => number, emitters = [contract, contract, contract]): SimulatedChain {
  const chain = createSimulatedChain({ indexOf })
  for (let block = 1; block <= 3; block++) chain.mine(emitters.map(address => ({ address, topics: [`0x${'ab'.repeat(32)}`] })))
  return chain
}

describe.each<BatchMode>(['live', 'range'])('in a batch of mode %s', mode => {
  const logsOf = async (chain: SimulatedChain, options: ChainRpcOptions = {}): Promise<readonly ChainLog[]> => {
    const source = createChainSource({ rpc: createChainRpc([chain], options) })
    const { watchlist } = createMemoryIndex({ contracts: [contract] })
    const tip = { head: chain.head().header, confirmed: chain.head().header, block: null }
    return (await fetchSpan({ source, watchlist, maxRangeLogs: 10 }, { mode, from: 2, to: 2 }, tip, [])).logs
  }
  const answering = (change: (logs: readonly Record<string, unknown>[]) => unknown): ChainRpcOptions => ({
    intercept: (_, { method }, answer) => (method === 'eth_getLogs' ? change(answer() as Record<string, unknown>[]) : answer()),
  })

  // Indexing stopped at the first such block: indexes had to count up from zero.
  it.each([
    ['begin with another index', (position: number) => position + 7],
    ['have gaps between their indexes', (position: number) => position * 5],
    ['have indexes past 32 bits', (position: number) => 0xffff_ffe2 + position],
  ])('logs may %s', async (_, indexOf) => {
    const chain = chainOf(indexOf)
    expect(await logsOf(chain)).toEqual(chain.at(2).logs)
  })

  // Indexing stopped for as long as the provider repeated a log.
  it('a log that is sent twice counts once', async () => {
    const chain = chainOf(position => position)
    const twice = answering(logs => [...logs, ...logs.slice(0, 2).map(log => ({ ...log }))])
    expect(await logsOf(chain, twice)).toEqual(chain.at(2).logs)
  })

  // As Polygon's logs of state, which some nodes number anew: a block with two logs 0 could not be followed.
  it('logs of other contracts may take places that are taken', async () => {
    const chain = chainOf(position => position % 3, [contract, contract, contract, stranger, stranger, stranger])
    expect(await logsOf(chain)).toEqual(chain.at(2).logs.slice(0, 3))
  })

  it('two logs that are indexed may not have one place', async () => {
    const clash = answering(logs => [...logs, { ...logs[1], data: '0x1234' }])
    await expect(
      logsOf(
        chainOf(position => position),
        clash,
      ),
    ).rejects.toThrow('two logs 1 of block 2')
  })
})
