import { describe, expect, it } from 'vitest'
import { type ChainSource, createChainSource } from '#chain/chainSource.ts'
import type { ChainLog } from '#domain/block.ts'
import { type ChainRpcOptions, createChainRpc } from '#test/support/chainRpc.ts'
import { createSimulatedChain, type SimulatedChain, testAddress } from '#test/support/simulatedChain.ts'

const contract = testAddress(1)

function chainOf(indexOf: (position: number) => number): SimulatedChain {
  const chain = createSimulatedChain({ indexOf })
  for (let block = 1; block <= 3; block++) chain.mine([1, 2, 3].map(() => ({ address: contract, topics: [`0x${'ab'.repeat(32)}`] })))
  return chain
}

const WAYS: readonly (readonly [string, (source: ChainSource) => Promise<readonly ChainLog[]>])[] = [
  ['at the head', async source => (await source.blockWithLogs(2)).logs],
  [
    'in a range',
    async source => (await source.logsInRange({ from: 2, to: 2, end: await source.header(3), addresses: [contract], maxLogs: 10 })).logs,
  ],
]

describe.each(WAYS)('logs %s', (_, read) => {
  // Indexing stopped at the first such block: indexes had to count up from zero.
  it.each([
    ['that begin with another index', (position: number) => position + 7],
    ['with gaps between their indexes', (position: number) => position * 5],
    ['with indexes past 32 bits', (position: number) => 0xffff_ffe2 + position],
  ])('are believed %s', async (_, indexOf) => {
    const chain = chainOf(indexOf)
    await expect(read(createChainSource({ rpc: createChainRpc([chain]) }))).resolves.toEqual(chain.at(2).logs)
  })

  const answers = (change: (logs: readonly Record<string, unknown>[]) => unknown): ChainRpcOptions => ({
    intercept: (_, { method }, answer) => (method === 'eth_getLogs' ? change(answer() as Record<string, unknown>[]) : answer()),
  })

  // Indexing stopped for as long as the provider repeated a log.
  it('count once where one is sent twice', async () => {
    const chain = chainOf(position => position)
    const rpc = createChainRpc(
      [chain],
      answers(logs => [...logs, ...logs.slice(0, 2).map(log => ({ ...log }))]),
    )
    await expect(read(createChainSource({ rpc }))).resolves.toEqual(chain.at(2).logs)
  })

  it('are not believed where two have one index', async () => {
    const rpc = createChainRpc(
      [chainOf(position => position)],
      answers(logs => [...logs, { ...logs[1], data: '0x1234' }]),
    )
    await expect(read(createChainSource({ rpc }))).rejects.toThrow('two logs 1 of block 2')
  })
})
