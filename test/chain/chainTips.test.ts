import { describe, expect, it } from 'vitest'
import { createChainSource } from '#chain/chainSource.ts'
import type { Hex } from '#domain/address.ts'
import type { RpcCall } from '#rpc/rpcEndpoint.ts'
import { createChainRpc } from '#test/support/chainRpc.ts'
import { createSimulatedChain, NodeFailure, type SimulatedChain, testAddress } from '#test/support/simulatedChain.ts'

describe('the confirmed block that is indexed next', () => {
  it.each([
    [3, true, { turns: 1, calls: 3 }],
    [3, false, { turns: 2, calls: 3 }],
    [0, true, { turns: 1, calls: 2 }],
    [0, false, { turns: 2, calls: 2 }],
  ])('at a depth of %i, announced: %s, costs %o', async (confirmations, announced, cost) => {
    const { follow } = open()
    for (let block = 0; block < 5; block++) await expect(follow(confirmations, announced)).resolves.toEqual(cost)
  })

  it('comes without its logs while the index catches up', async () => {
    const { chain, source, take } = open()
    mine(chain)
    await expect(source.tip({ confirmations: 3, announced: true, next: null })).resolves.toMatchObject({ block: null })
    expect(take()).toEqual({ turns: 2, calls: 2 })
  })

  it('comes without its logs when the head is not where it was expected', async () => {
    const { chain, source, follow, take } = open()
    const next = chain.head().header.number - 2
    const early = await source.tip({ confirmations: 3, announced: true, next })
    expect(early).toMatchObject({ head: chain.head().header, confirmed: chain.at(next - 1).header, block: null })
    expect(take()).toEqual({ turns: 2, calls: 4 })
    for (let block = 0; block < 2; block++) mine(chain)
    const late = await source.tip({ confirmations: 3, announced: true, next })
    expect(late).toMatchObject({ head: chain.head().header, confirmed: chain.at(next + 1).header, block: null })
    expect(take()).toEqual({ turns: 2, calls: 4 })
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
    for (let block = 0; block < 3; block++) await expect(follow(3, true)).resolves.toEqual({ turns: 2, calls: 4 })
  })

  const isUnfiltered = ({ method, params: [filter] }: RpcCall) =>
    method === 'eth_getLogs' && !Object.hasOwn(filter as object, 'blockHash') && !Object.hasOwn(filter as object, 'address')

  // One block whose logs a node did not know yet was taken for a refusal of all such queries, for ten minutes.
  it.each([
    [-32000, 'unknown block'],
    [-32000, 'One of the blocks specified in filter (fromBlock, toBlock or blockHash) cannot be found.'],
    [-32603, 'internal error'],
    [-32602, 'invalid block range params'],
  ])('is asked for together again at once after a passing %i "%s"', async (code, message) => {
    let refuses = true
    const { follow } = open((call, answer) => {
      if (refuses && isUnfiltered(call)) throw new NodeFailure(code, message)
      return answer()
    })
    for (let fault = 0; fault < 10; fault++) {
      refuses = true
      await follow(3, true)
      refuses = false
      await expect(follow(3, true)).resolves.toEqual({ turns: 1, calls: 3 })
    }
  })

  it('is asked for one call after the other by a provider that refuses them together again and again, and now and then together', async () => {
    let refuses = true
    const { follow } = open((call, answer) => {
      if (refuses && isUnfiltered(call)) throw new NodeFailure(-32701, 'Please specify an address in your request')
      return answer()
    })
    for (let block = 0; block < 3; block++) await expect(follow(3, true)).resolves.toEqual({ turns: 4, calls: 6 })
    for (let block = 0; block < 8; block++) await expect(follow(3, true)).resolves.toEqual({ turns: 3, calls: 3 })
    refuses = false
    await expect(follow(3, true)).resolves.toEqual({ turns: 1, calls: 3 })
  })
})

function topic(byte: string): Hex {
  return `0x${byte.repeat(32)}`
}

function mine(chain: SimulatedChain) {
  return chain.mine([
    { address: testAddress(1), topics: [topic('aa')] },
    { address: testAddress(2), topics: [topic('bb')], data: '0x01' },
  ])
}

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
            ...provider,
            call: (call, options) => {
              counts.turns++
              counts.calls++
              return provider.call(call, options)
            },
            calls: (calls, options) => {
              counts.turns++
              counts.calls += calls.length
              return provider.calls(calls, options)
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
  /** Mines a block and reads the confirmed one. */
  const follow = async (confirmations: number, announced: boolean) => {
    mine(chain)
    const next = chain.head().header.number - confirmations
    const { confirmed, block } = await source.tip({ confirmations, announced, next })
    expect(block ?? (await source.blockWithLogs(confirmed.number, confirmed))).toEqual(chain.at(next))
    return take()
  }
  return { chain, source, follow, take }
}
