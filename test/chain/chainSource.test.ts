import pino from 'pino'
import { describe, expect, it } from 'vitest'
import { createChainSource } from '#chain/chainSource.ts'
import type { TipRequest } from '#chain/chainTips.ts'
import type { Hex } from '#domain/address.ts'
import { createRpc } from '#rpc/rpc.ts'
import type { RpcCall } from '#rpc/rpcEndpoint.ts'
import { type ChainRpcOptions, createChainRpc } from '#test/support/chainRpc.ts'
import { startFakeProvider } from '#test/support/fakeProvider.ts'
import { createManualClock } from '#test/support/manualClock.ts'
import {
  createSimulatedChain,
  type NewLog,
  NodeFailure,
  type SimulatedChain,
  type SimulatedChainOptions,
  testAddress,
} from '#test/support/simulatedChain.ts'

const topic = (byte: string) => `0x${byte.repeat(32)}` as const
const someLogs: readonly NewLog[] = [
  { address: testAddress(1), topics: [topic('aa')], data: '0x01' },
  { address: testAddress(2), topics: [topic('bb'), topic('cc')] },
  { address: testAddress(1), topics: [topic('dd')] },
]

/** A tip without the logs of a block. */
const at = (confirmations: TipRequest['confirmations']): TipRequest => ({ confirmations, announced: false, next: null })

const chainOf = (blocks: number, options: SimulatedChainOptions = {}): SimulatedChain => {
  const chain = createSimulatedChain(options)
  for (let count = 0; count < blocks; count++) chain.mine(count % 3 === 0 ? someLogs : [])
  return chain
}

describe('the tip', () => {
  const numbers = async (chain: SimulatedChain, confirmations: number | 'safe' | 'finalized') => {
    const { head, confirmed } = await createChainSource({ rpc: createChainRpc([chain]) }).tip(at(confirmations))
    return [head.number, confirmed.number]
  }

  it('is confirmed at a depth below the head, never below the first block', async () => {
    await expect(numbers(chainOf(20), 3)).resolves.toEqual([20, 17])
    await expect(numbers(chainOf(20), 0)).resolves.toEqual([20, 20])
    await expect(numbers(chainOf(2), 3)).resolves.toEqual([2, 0])
    await expect(numbers(chainOf(0), 3)).resolves.toEqual([0, 0])
  })

  it("is confirmed at the chain's own marks", async () => {
    await expect(numbers(chainOf(20), 'safe')).resolves.toEqual([20, 16])
    await expect(numbers(chainOf(20), 'finalized')).resolves.toEqual([20, 12])
  })

  const refuse = () => {
    throw new NodeFailure(-32_603, 'strconv.ParseUint: parsing "finalized": invalid syntax')
  }

  // The log had the node's words alone, again and again.
  it.each([
    ['refuses its name', refuse],
    ['has none', () => null],
  ])('says what to set where a node %s', async (_, mark) => {
    const intercept = (__: string, { params }: RpcCall, answer: () => unknown) => (params[0] === 'finalized' ? mark() : answer())
    const source = createChainSource({ rpc: createChainRpc([chainOf(20)], { intercept }) })
    await expect(source.tip(at('finalized'))).rejects.toThrow(
      /finalized.*; where it never has one, set CONFIRMATIONS to a number of blocks/,
    )
  })

  it('asks for the confirmed block again when it turns out to be another, though the head stands still', async () => {
    const chain = chainOf(20, { provesHeaders: false })
    const wrong = { hash: `0x${'ee'.repeat(32)}` as const }
    let lies = true
    const rpc = createChainRpc([chain], {
      intercept: (_, { method, params }, answer) =>
        lies && method === 'eth_getBlockByNumber' && params[0] === '0x11' ? { ...(answer() as object), ...wrong } : answer(),
    })
    const source = createChainSource({ rpc })
    await expect(source.tip(at(3))).resolves.toMatchObject({ confirmed: { hash: wrong.hash } })
    lies = false
    await expect(source.tip(at(3))).resolves.toMatchObject({ confirmed: { hash: wrong.hash } })
    await source.header(17)
    await expect(source.tip(at(3))).resolves.toMatchObject({ confirmed: { hash: chain.at(17).header.hash } })
  })

  // A block without logs was indexed under a hash that one answer had made up, and stayed so for as long as no new head came.
  it('is not wrong about the confirmed block for ever while the head stands still and nothing contradicts it', async () => {
    const chain = chainOf(20, { provesHeaders: false })
    let lies = 1
    const rpc = createChainRpc([chain], {
      intercept: (_, { method, params }, answer) => {
        if (method !== 'eth_getBlockByNumber' || params[0] !== '0x11' || lies-- <= 0) return answer()
        return { ...(answer() as object), hash: `0x${'ee'.repeat(32)}` }
      },
    })
    const source = createChainSource({ rpc })
    const hashes: string[] = []
    for (let poll = 0; poll < 12; poll++) hashes.push((await source.tip(at(3))).confirmed.hash)
    expect(hashes[0]).toBe(`0x${'ee'.repeat(32)}`)
    expect(hashes.at(-1)).toBe(chain.at(17).header.hash)
  })

  it('does not ask for the confirmed block again at every poll while the head stands still', async () => {
    const calls: RpcCall[] = []
    const chain = chainOf(20)
    const rpc = createChainRpc([chain], { intercept: (_, call, answer) => (calls.push(call), answer()) })
    const source = createChainSource({ rpc })
    const first = await source.tip(at(3))
    expect(calls).toHaveLength(2)
    await expect(source.tip(at(3))).resolves.toEqual(first)
    expect(calls).toHaveLength(3)
    chain.mine()
    await expect(source.tip(at(3))).resolves.toMatchObject({ confirmed: { number: 18 } })
  })

  // A side index was given the tip of the main one, joined at the head, and the next reorg stopped indexing.
  it('is at the depth that each of two indexes asks for', async () => {
    const source = createChainSource({ rpc: createChainRpc([chainOf(20)]) })
    const depths = [0, 3, 0, 'safe', 3] as const
    const numbers: number[] = []
    for (const depth of depths) numbers.push((await source.tip(at(depth))).confirmed.number)
    expect(numbers).toEqual([20, 17, 20, 16, 17])
  })

  it('is not below a mark that was answered a moment later', async () => {
    const chain = chainOf(20)
    const intercept = (_: string, call: RpcCall, answer: () => unknown) => {
      if (call.params[0] !== 'safe') return answer()
      for (let count = 0; count < 10; count++) chain.mine()
      return answer()
    }
    const { head, confirmed } = await createChainSource({ rpc: createChainRpc([chain], { intercept }) }).tip(at('safe'))
    expect(head.number).toBeGreaterThanOrEqual(confirmed.number)
  })
})

describe('a block with its logs', () => {
  it('has all of them', async () => {
    const chain = chainOf(4)
    const source = createChainSource({ rpc: createChainRpc([chain]) })
    for (let number = 0; number <= 4; number++) await expect(source.blockWithLogs(number)).resolves.toEqual(chain.at(number))
  })

  // A chain may have logs that its blooms lack: with an empty bloom, they were left out without a word.
  it('asks for the logs also when the bloom is empty', async () => {
    const methods: string[] = []
    const rpc = createChainRpc([chainOf(3)], { intercept: (_, call, answer) => (methods.push(call.method), answer()) })
    const source = createChainSource({ rpc })
    for (const number of [1, 2, 3]) await source.blockWithLogs(number)
    const [header, logs] = ['eth_getBlockByNumber', 'eth_getLogs']
    expect(methods).toEqual([header, logs, header, logs, header, logs])
  })

  /** Refuses to give all logs of a block, in words that say nothing. */
  const refusingAll = ({ method, params: [filter] }: RpcCall): void => {
    if (method === 'eth_getLogs' && !Object.hasOwn(filter as object, 'address')) throw new NodeFailure(-32603, 'internal error')
  }

  it('has the logs of its receipts where they are too many for one answer', async () => {
    const chain = chainOf(4)
    const source = createChainSource({ rpc: createChainRpc([chain], { intercept: (_, call, answer) => refusingAll(call) ?? answer() }) })
    for (let number = 0; number <= 4; number++) await expect(source.blockWithLogs(number)).resolves.toEqual(chain.at(number))
  })

  it.each([
    ['no receipt', null, 'missing'],
    ['a receipt of another block', { blockHash: `0x${'ee'.repeat(32)}`, logs: [] }, 'inconsistent'],
    ['a receipt without logs', { blockHash: null, logs: null }, 'garbled'],
    ['a receipt that lacks a log', 'first', 'inconsistent'],
  ])('is not believed of %s', async (_, receipt, kind) => {
    const chain = chainOf(4)
    const intercept: ChainRpcOptions['intercept'] = (_, call, answer) => {
      if (call.method !== 'eth_getTransactionReceipt') return refusingAll(call) ?? answer()
      return receipt === 'first' ? { ...(answer() as object), logs: [] } : receipt
    }
    const source = createChainSource({ rpc: createChainRpc([chain], { intercept }) })
    await expect(source.blockWithLogs(1)).rejects.toMatchObject({ fault: { kind } })
  })

  // Indexing stopped for good at such a block: 48 MiB is the most that one answer may hold.
  it('may have one transaction with more logs than any answer holds', async () => {
    const chain = createSimulatedChain()
    const data: Hex = `0x${'5a'.repeat(24_000)}`
    chain.mine(Array.from({ length: 1_200 }, () => ({ address: testAddress(1), topics: [`0x${'ab'.repeat(32)}`], data, tx: 1 })))
    const provider = await startFakeProvider({ chain })
    const rpc = createRpc({ urls: [provider.url], chainId: 1, logger: pino({ level: 'silent' }), timeoutMs: 120_000 })
    try {
      const { logs } = await createChainSource({ rpc }).blockWithLogs(1)
      expect(logs).toHaveLength(1_200)
      expect(provider.calls.map(({ method }) => method)).toContain('eth_getTransactionReceipt')
      expect(logs.at(-1)).toEqual(chain.at(1).logs.at(-1))
    } finally {
      rpc.close()
      await provider.stop()
    }
  })

  it('does not fetch a header twice that came with the tip', async () => {
    const methods: string[] = []
    const chain = chainOf(4)
    const rpc = createChainRpc([chain], { intercept: (_, call, answer) => (methods.push(call.method), answer()) })
    const source = createChainSource({ rpc })
    const { confirmed } = await source.tip(at(0))
    await expect(source.blockWithLogs(4, confirmed)).resolves.toEqual(chain.at(4))
    expect(methods).toEqual(['eth_getBlockByNumber', 'eth_getLogs'])
  })

  it('is the one that took the place of the known header when that is gone', async () => {
    const chain = chainOf(4)
    const { header: known } = chain.at(4)
    chain.drop(1)
    chain.mine(someLogs)
    const gone = (_: string, { params }: RpcCall, answer: () => unknown) => {
      if ((params[0] as { blockHash?: string }).blockHash === known.hash) throw new NodeFailure(-32_000, 'unknown block')
      return answer()
    }
    const source = createChainSource({ rpc: createChainRpc([chain, chain], { intercept: gone }) })
    await expect(source.blockWithLogs(4, known)).resolves.toEqual(chain.at(4))
  })

  const lies: readonly (readonly [string, (logs: Record<string, unknown>[]) => unknown, string])[] = [
    ['none of its logs', () => [], 'two answers'],
    ['all but the last', logs => logs.slice(0, -1), 'two answers'],
    ['all but the first', logs => logs.slice(1), 'two answers'],
    ['one of another block', logs => logs.map((log, at) => (at === 1 ? { ...log, blockHash: topic('ee') } : log)), 'another block'],
    ['one of another number', logs => logs.map((log, at) => (at === 1 ? { ...log, blockNumber: '0x2' } : log)), 'another block'],
    ['one that was removed', logs => logs.map((log, at) => (at === 1 ? { ...log, removed: true } : log)), 'removed'],
    ['one with another topic', logs => logs.map((log, at) => (at === 0 ? { ...log, topics: [topic('ff')] } : log)), 'two answers'],
    ['one of another address', logs => logs.map((log, at) => (at === 0 ? { ...log, address: testAddress(9) } : log)), 'two answers'],
    ['null', () => null, 'two answers'],
  ]
  it.each(lies)('is not believed with %s, and asked of the next provider', async (_, lie, sentence) => {
    const chain = chainOf(1)
    const lying = (provider: string, call: RpcCall, answer: () => unknown) =>
      provider === 'rpc-1' && call.method === 'eth_getLogs' ? lie(answer() as Record<string, unknown>[]) : answer()
    const alone = createChainSource({ rpc: createChainRpc([chain], { intercept: lying }) })
    await expect(alone.blockWithLogs(1)).rejects.toMatchObject({
      code: 'rpc_inconsistent',
      message: expect.stringContaining(sentence) as unknown,
    })
    const source = createChainSource({ rpc: createChainRpc([chain, chain], { intercept: lying }) })
    await expect(source.blockWithLogs(1)).resolves.toEqual(chain.at(1))
  })

  // Indexing stopped at the first block without logs.
  it('has no logs where the node answers null in place of none', async () => {
    const chain = chainOf(3)
    const intercept = (_: string, call: RpcCall, answer: () => unknown) => {
      const given = answer()
      return call.method === 'eth_getLogs' && (given as readonly unknown[]).length === 0 ? null : given
    }
    const source = createChainSource({ rpc: createChainRpc([chain], { intercept }) })
    for (const number of [1, 2, 3]) await expect(source.blockWithLogs(number)).resolves.toEqual(chain.at(number))
  })

  it('has no log that is marked as removed', async () => {
    const chain = chainOf(1)
    const intercept = (_: string, call: RpcCall, answer: () => unknown) =>
      call.method === 'eth_getLogs'
        ? (answer() as Record<string, unknown>[]).flatMap(log => [log, { ...log, blockHash: topic('ee'), removed: true }])
        : answer()
    await expect(createChainSource({ rpc: createChainRpc([chain], { intercept }) }).blockWithLogs(1)).resolves.toEqual(chain.at(1))
  })

  // By hash, a query of logs failed for ever, or while the block was new. Indexing stopped, or stayed blocks behind.
  it.each([-32_000, -32_602, -32_603])('has the logs of its receipts when the query of its logs fails with %i', async code => {
    const chain = chainOf(1)
    const intercept = (_: string, call: RpcCall, answer: () => unknown) => {
      if (call.method === 'eth_getLogs') throw new NodeFailure(code, 'the handler panicked')
      return answer()
    }
    await expect(createChainSource({ rpc: createChainRpc([chain], { intercept }) }).blockWithLogs(1)).resolves.toEqual(chain.at(1))
  })

  it('tolerates logs in another order', async () => {
    const chain = chainOf(1)
    const intercept = (_: string, call: RpcCall, answer: () => unknown) =>
      call.method === 'eth_getLogs' ? (answer() as unknown[]).toReversed() : answer()
    await expect(createChainSource({ rpc: createChainRpc([chain], { intercept }) }).blockWithLogs(1)).resolves.toEqual(chain.at(1))
  })

  it('is asked of a provider that has it', async () => {
    const source = createChainSource({ rpc: createChainRpc([chainOf(2), chainOf(2), chainOf(9)]) })
    await expect(source.blockWithLogs(7)).resolves.toMatchObject({ header: { number: 7 } })
    await expect(source.blockWithLogs(10)).rejects.toMatchObject({ fault: { kind: 'missing', what: 'block 10' } })
  })

  it('is not another block than the one that was asked for', async () => {
    const chain = chainOf(3)
    const intercept = (_: string, call: RpcCall, answer: () => unknown) =>
      call.method === 'eth_getBlockByNumber' ? chain.answer(call.method, ['0x2', false]) : answer()
    const source = createChainSource({ rpc: createChainRpc([chain], { intercept }) })
    await expect(source.blockWithLogs(1)).rejects.toThrow('block 2 in answer to block 1')
  })
})

describe('headers', () => {
  it('come in the order of the numbers, however many', async () => {
    const chain = chainOf(450)
    const numbers = Array.from({ length: 400 }, (_, at) => (at * 7) % 451)
    const headers = await createChainSource({ rpc: createChainRpc([chain]) }).headers(numbers)
    expect(headers).toEqual(numbers.map(number => chain.at(number).header))
  })

  it('may be as late as the clock of the machine says, also where that stood still or was set forward since the start', async () => {
    const nowMs = Date.now()
    const chain = chainOf(4, { provesHeaders: false, genesisTimestamp: Math.floor(nowMs / 1_000) - 100 })
    const read = (startedMs: number, epochMs: number) => {
      const clock = { ...createManualClock(startedMs), epochMs: () => epochMs }
      return createChainSource({ rpc: createChainRpc([chain], { clock }) }).headers([4])
    }
    const hourMs = 3_600_000
    await expect(read(nowMs - hourMs, nowMs)).resolves.toEqual([chain.at(4).header])
    await expect(read(nowMs, nowMs - hourMs)).rejects.toThrow('the time of block 4 is ahead of the clock of this machine')
  })

  it('of each provider leave out who has none', async () => {
    const fork = chainOf(5)
    fork.drop(2)
    fork.mine()
    const long = chainOf(5)
    const source = createChainSource({ rpc: createChainRpc([long, fork, chainOf(2)]) })
    await expect(source.headerOfEach(4)).resolves.toEqual([long.at(4).header, fork.at(4).header])
  })
})
