import { describe, expect, it } from 'vitest'
import { createChainSource } from '#chain/chainSource.ts'
import type { RpcCall } from '#chain/rpcEndpoint.ts'
import { createBackfill } from '#indexer/backfill.ts'
import { createChainRpc } from '#test/support/chainRpc.ts'
import { createMemoryIndex } from '#test/support/memorySink.ts'
import { createSimulatedChain, type NewLog, testAddress } from '#test/support/simulatedChain.ts'

const launchpad = testAddress(0)
const announce = (index: number): NewLog => ({ address: launchpad, data: `0x${testAddress(index).slice(2).padStart(64, '0')}` })
const speak = (index: number): NewLog => ({ address: testAddress(index) })
const bounds = { leastBlocks: 1, mostBlocks: 10, targetLogs: 100 }

function open(logs: (number: number) => readonly NewLog[]) {
  const chain = createSimulatedChain()
  for (let number = 1; number <= 100; number++) chain.mine(logs(number))
  const ranges: string[] = []
  const intercept = (_: string, call: RpcCall, answer: () => unknown) => {
    const { fromBlock, toBlock } = (call.params[0] ?? {}) as { fromBlock?: string; toBlock?: string }
    if (fromBlock !== undefined) ranges.push(`${Number(fromBlock)}-${Number(toBlock)}`)
    return answer()
  }
  const { watchlist } = createMemoryIndex({ contracts: [launchpad] })
  const source = createChainSource({ rpc: createChainRpc([chain], { intercept }) })
  return { chain, ranges, backfill: createBackfill({ source, watchlist, bounds }) }
}

describe('the backfill', () => {
  it('fetches one range ahead and no more', async () => {
    const { backfill, ranges } = open(() => [])
    const { batch } = await backfill.range(1, 100)
    expect(batch).toMatchObject({ from: 1, to: { number: 10 } })
    await expect.poll(() => ranges).toEqual(['1-10', '11-20'])
    await backfill.range(11, 100)
    await expect.poll(() => ranges).toEqual(['1-10', '11-20', '21-30'])
  })

  it('knows in the range ahead what the one before has announced, though nothing is committed', async () => {
    const { backfill } = open(number => (number === 5 ? [announce(7), speak(7)] : number === 15 ? [speak(7), speak(8)] : []))
    await backfill.range(1, 100)
    const { batch } = await backfill.range(11, 100)
    const logs = 'logs' in batch ? batch.logs : []
    expect(logs.map(({ address, blockNumber }) => [address, blockNumber])).toEqual([[testAddress(7), 15]])
  })

  it('goes no further than the target', async () => {
    const { backfill, ranges } = open(() => [])
    await expect(backfill.range(1, 7)).resolves.toMatchObject({ batch: { to: { number: 7 } } })
    await expect(backfill.range(8, 13)).resolves.toMatchObject({ batch: { from: 8, to: { number: 13 } } })
    expect(ranges).toEqual(['1-7', '8-13'])
  })

  it('fetches anew what it was made to forget', async () => {
    const { backfill, ranges, chain } = open(() => [])
    await backfill.range(1, 100)
    await expect.poll(() => ranges).toHaveLength(2)
    chain.drop(85)
    for (let count = 0; count < 85; count++) chain.mine([])
    backfill.forget()
    const { batch } = await backfill.range(11, 100)
    expect(batch.to).toEqual(chain.at(20).header)
  })

  it('keeps the failure of the range ahead for whoever asks for it', async () => {
    const { chain } = open(() => [])
    let calls = 0
    const rpc = createChainRpc([chain], {
      intercept: (_, __, answer) => {
        if (++calls > 8) throw new Error('broken')
        return answer()
      },
    })
    const { watchlist } = createMemoryIndex({ contracts: [launchpad] })
    const backfill = createBackfill({ source: createChainSource({ rpc }), watchlist, bounds })
    await expect(backfill.range(1, 100)).resolves.toMatchObject({ batch: { from: 1 } })
    await expect.poll(() => calls).toBeGreaterThan(8)
    await expect(backfill.range(11, 100)).rejects.toThrow('broken')
  })
})
