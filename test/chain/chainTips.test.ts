import { describe, expect, it } from 'vitest'
import { createChainSource } from '#chain/chainSource.ts'
import type { Hex } from '#domain/address.ts'
import type { RpcCall } from '#rpc/rpcEndpoint.ts'
import { createChainRpc } from '#test/support/chainRpc.ts'
import { createSimulatedChain, NodeFailure, type SimulatedChain, testAddress } from '#test/support/simulatedChain.ts'

const topic = (byte: string): Hex => `0x${byte.repeat(32)}`
const mine = (chain: SimulatedChain) =>
  chain.mine([
    { address: testAddress(1), topics: [topic('aa')] },
    { address: testAddress(2), topics: [topic('bb')], data: '0x01' },
  ])

/** A source whose questions are counted: those that are asked together are one. */
function open(intercept: (call: RpcCall, answer: () => unknown) => unknown = (_, answer) => answer()) {
  const chain = createSimulatedChain()
  for (let number = 0; number < 10; number++) mine(chain)
  const rpc = createChainRpc([chain], { intercept: (_, call, answer) => intercept(call, answer) })
  const counts = { turns: 0, calls: 0 }
  const source = createChainSource({
    rpc: {
      ...rpc,
      ask: question =>
        rpc.ask(provider =>
          question({
            name: provider.name,
            call: (method, params) => {
              counts.turns++
              counts.calls++
              return provider.call(method, params)
            },
            calls: calls => {
              counts.turns++
              counts.calls += calls.length
              return provider.calls(calls)
            },
          }),
        ),
    },
  })
  const take = () => {
    const taken = { ...counts }
    counts.turns = 0
    counts.calls = 0
    return taken
  }
  /** Mines a block, and takes the confirmed one as who follows does. */
  const follow = async (confirmations: number, isNew: boolean) => {
    mine(chain)
    const { confirmed } = await source.tip(confirmations, isNew)
    const block = await source.blockWithLogs(confirmed.number)
    expect(block).toEqual(chain.at(chain.head().header.number - confirmations))
    return take()
  }
  return { chain, source, follow, take }
}

describe('a confirmed block that is taken as it comes', () => {
  it.each([
    [3, true, { turns: 1, calls: 3 }],
    [3, false, { turns: 2, calls: 3 }],
    [0, true, { turns: 1, calls: 2 }],
    [0, false, { turns: 2, calls: 2 }],
  ])('at a depth of %i, announced: %s, costs %o', async (confirmations, isNew, cost) => {
    const { follow } = open()
    // Nothing is known of the first one.
    const { calls } = await follow(confirmations, isNew)
    expect(calls).toBe(cost.calls)
    for (let block = 0; block < 5; block++) await expect(follow(confirmations, isNew)).resolves.toEqual(cost)
  })

  it('comes without its logs when nobody took the last one', async () => {
    const { chain, source, follow, take } = open()
    await follow(3, true)
    await follow(3, true)
    // The index stands still: what came with the first tip was for nothing, and of the next ones nothing more is asked for.
    for (const cost of [
      { turns: 1, calls: 3 },
      { turns: 2, calls: 2 },
    ]) {
      mine(chain)
      await source.tip(3, true)
      expect(take()).toEqual(cost)
    }
    await follow(3, true)
    await expect(follow(3, true)).resolves.toEqual({ turns: 1, calls: 3 })
  })

  it('is asked for one by one where a push was of no next block, or of several', async () => {
    const { chain, source, follow, take } = open()
    await follow(3, true)
    const tip = await source.tip(3, true)
    expect(take().calls).toBe(3)
    expect(tip.head.number).toBe(chain.head().header.number)
    mine(chain)
    await expect(follow(3, true)).resolves.toMatchObject({ turns: 3 })
    await expect(follow(3, true)).resolves.toEqual({ turns: 1, calls: 3 })
  })

  const lies: readonly (readonly [string, (logs: Record<string, unknown>[]) => unknown])[] = [
    ['without all of its logs', logs => logs.slice(0, -1)],
    ['with those of another block', logs => logs.map(log => ({ ...log, blockHash: topic('ee') }))],
    ['with what are no logs', () => null],
  ]
  it.each(lies)('%s is asked for again by its hash', async (_, lie) => {
    const byHash = ({ params }: RpcCall) => (params[0] as { blockHash?: Hex }).blockHash !== undefined
    const { follow } = open((call, answer) =>
      call.method === 'eth_getLogs' && !byHash(call) ? lie(answer() as Record<string, unknown>[]) : answer(),
    )
    await follow(3, true)
    for (let block = 0; block < 3; block++) await expect(follow(3, true)).resolves.toEqual({ turns: 2, calls: 4 })
  })

  it('is asked for one by one of a provider that refuses it otherwise, and after a while together again', async () => {
    let refuses = true
    const { follow } = open((call, answer) => {
      if (refuses && call.method === 'eth_getLogs' && (call.params[0] as { blockHash?: Hex }).blockHash === undefined)
        throw new NodeFailure(-32701, 'Please specify an address in your request')
      return answer()
    })
    await follow(3, true)
    await expect(follow(3, true)).resolves.toMatchObject({ turns: 4 })
    refuses = false
    for (let block = 0; block < 20; block++) await expect(follow(3, true)).resolves.toEqual({ turns: 3, calls: 3 })
    for (let block = 0; block < 50; block++) await follow(3, true)
    await expect(follow(3, true)).resolves.toEqual({ turns: 1, calls: 3 })
  })

  it('is not the one that came with a tip that turned out to be wrong', async () => {
    const { chain, source, follow } = open()
    await follow(3, true)
    mine(chain)
    const { confirmed } = await source.tip(3, true)
    chain.drop(4)
    for (let number = 0; number < 5; number++) chain.mine()
    await source.header(confirmed.number)
    await expect(source.blockWithLogs(confirmed.number)).resolves.toEqual(chain.at(confirmed.number))
  })
})
