import { describe, expect, it } from 'vitest'
import { createChainSource } from '#chain/chainSource.ts'
import type { Hex } from '#domain/address.ts'
import { type ChainRpcOptions, createChainRpc } from '#test/support/chainRpc.ts'
import { runSync } from '#test/support/indexing.ts'
import { createLogLines } from '#test/support/logLines.ts'
import { createManualClock } from '#test/support/manualClock.ts'
import { createMemoryIndex } from '#test/support/memoryCommitter.ts'
import { createSimulatedChain, type NewLog, NodeFailure, type SimulatedChain, testAddress } from '#test/support/simulatedChain.ts'

const contract = testAddress(1)
const topic = (byte: string): Hex => `0x${byte.repeat(32)}`
const SOME_LOGS: readonly NewLog[] = [
  { address: contract, topics: [topic('aa')], data: '0x01' },
  { address: contract, topics: [topic('bb')], data: '0x02' },
]
const filled = (byte: string): Hex => `0x${byte.repeat(256)}`

type BloomOf = (bloom: Hex, block: number) => Hex
const ZERO: BloomOf = () => filled('00')
const SINCE_BLOCK_3: BloomOf = (bloom, block) => (block < 3 ? bloom : filled('00'))
/** As where the logs of the system's own transactions are not in blooms. */
const LACKING: BloomOf = (bloom, block) => (block % 2 === 0 ? bloom : (bloom.replace(/[1248]/, '0') as Hex))
const ONES: BloomOf = () => filled('ff')

/** Blocks with logs, but for every third one. */
function chainOf(bloomOf: BloomOf, provesHeaders = true): SimulatedChain {
  const chain = createSimulatedChain({ bloomOf, provesHeaders })
  for (let block = 1; block <= 9; block++) chain.mine(block % 3 === 0 ? [] : SOME_LOGS)
  return chain
}

const onLogs = (change: (provider: string, logs: readonly unknown[]) => unknown): NonNullable<ChainRpcOptions['intercept']> => {
  return (provider, { method }, answer) => (method === 'eth_getLogs' ? change(provider, answer() as unknown[]) : answer())
}
const withoutReceipts: NonNullable<ChainRpcOptions['intercept']> = (_, { method }, answer) => {
  if (method.includes('Receipt')) throw new NodeFailure(-32_601, 'the method does not exist')
  return answer()
}

function open(chain: SimulatedChain, providers: number, intercept: ChainRpcOptions['intercept'] = (_, __, answer) => answer()) {
  const clock = createManualClock()
  const log = createLogLines()
  const rpc = createChainRpc(
    Array.from({ length: providers }, () => chain),
    { intercept },
  )
  return { clock, log, source: createChainSource({ rpc, clock, logger: log.logger }) }
}

/*
 * A followed block whose bloom lacked logs ended indexing, or was left out without a word once one bloom had fitted. Ranges had its logs.
 */
describe.each([
  ['are zero', ZERO],
  ['are zero from a block on', SINCE_BLOCK_3],
  ['lack some of the logs', LACKING],
])('where blooms %s', (_, bloomOf) => {
  it.each([
    [1, true],
    [1, false],
    [2, true],
    [2, false],
  ])('every block has its logs, over %i provider(s), in headers that are proven: %s', async (providers, provesHeaders) => {
    const chain = chainOf(bloomOf, provesHeaders)
    const { source, log } = open(chain, providers)
    for (let block = 0; block <= 9; block++) await expect(source.blockWithLogs(block)).resolves.toEqual(chain.at(block))
    expect(source.warnings().join()).toMatch(/the bloom of block [134] does not fit its logs/)
    expect(log.lines()).toHaveLength(1)
  })

  it('what is indexed block by block is what is indexed in ranges', async () => {
    const chain = chainOf(bloomOf)
    const rpc = createChainRpc([chain, chain])
    const logsOf = async (followBlocks: number) => {
      const index = createMemoryIndex({ contracts: [contract] })
      const running = runSync({ rpc, index, tuning: { followBlocks } })
      await running.until(() => index.cursor() === 9, 'everything is indexed')
      await running.sync.stop()
      return index.logs
    }
    expect(await logsOf(50)).toEqual(chain.logs())
    expect(await logsOf(2)).toEqual(chain.logs())
  })

  /** While one of two providers lacked logs, or made some up, indexing stood still. */
  it.each([
    ['one provider', 1, false],
    ['one of two providers', 2, true],
    ['one of two providers without receipts', 2, false],
  ])('logs that %s does not know yet are read from receipts or waited for', async (what, providers, isRead) => {
    const chain = chainOf(bloomOf)
    let isLate = false
    const late = onLogs((provider, logs) => (isLate && provider === 'rpc-1' ? [] : logs))
    const intercept: typeof late = (provider, call, answer) =>
      call.method === 'eth_getLogs' || !what.includes('without') ? late(provider, call, answer) : withoutReceipts(provider, call, answer)
    const { source } = open(chain, providers, intercept)
    for (const block of [1, 4, 5]) await source.blockWithLogs(block)
    isLate = true
    if (isRead) await expect(source.blockWithLogs(7)).resolves.toEqual(chain.at(7))
    else await expect(source.blockWithLogs(7)).rejects.toThrow(/two answers to the logs of block 7|different logs of block 7/)
    isLate = false
    await expect(source.blockWithLogs(7)).resolves.toEqual(chain.at(7))
  })

  it('a single provider without receipts is believed once it has given the same logs for half a minute', async () => {
    const chain = chainOf(bloomOf)
    const { source, clock } = open(chain, 1, withoutReceipts)
    const first = bloomOf === SINCE_BLOCK_3 ? 4 : 1
    await expect(source.blockWithLogs(first)).rejects.toThrow(`the logs of block ${first} do not fit its bloom`)
    clock.advance(30_000)
    for (let block = first; block <= 9; block++) await expect(source.blockWithLogs(block)).resolves.toEqual(chain.at(block))
  })
})

/*
 * A relay gives no receipts for blocks of transactions that it makes up itself, in a header that states the root of no receipts: the empty
 * list was the proof that a block has no logs, and its trades were lost without a word.
 */
const NONE = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
const withReceipts = (receipts: unknown): NonNullable<ChainRpcOptions['intercept']> => {
  return (_, { method }, answer) => {
    if (method === 'eth_getBlockReceipts') return receipts
    return method.startsWith('eth_getBlockBy') ? { ...(answer() as object), receiptsRoot: NONE } : answer()
  }
}
it.each([1, 2])('a block of %i provider(s) has its logs where they give the empty list for its receipts', async providers => {
  const chain = chainOf(ZERO, false)
  const { source } = open(chain, providers, withReceipts([]))
  for (let block = 0; block <= 9; block++) expect((await source.blockWithLogs(block)).logs).toEqual(chain.at(block).logs)
})

it('the receipts of a block without transactions may be null', async () => {
  const rpc = createChainRpc([chainOf(ZERO, false)], { intercept: withReceipts(null) })
  const source = createChainSource({ rpc, provesLogs: true })
  expect((await source.blockWithLogs(3)).logs).toEqual([])
})

describe('where blooms hold more than the logs', () => {
  // Logs may be missing. Without a proof the index stayed blocks behind, for each block anew.
  it.each([1, 2])('the first block waits for half a minute, over %i provider(s), and no other one', async providers => {
    const chain = chainOf(ONES)
    const { source, clock } = open(chain, providers)
    await expect(source.blockWithLogs(1)).rejects.toThrow('the logs of block 1 do not fit its bloom')
    clock.advance(29_999)
    await expect(source.blockWithLogs(1)).rejects.toThrow('the logs of block 1 do not fit its bloom')
    clock.advance(1)
    for (let block = 1; block <= 9; block++) await expect(source.blockWithLogs(block)).resolves.toEqual(chain.at(block))
  })

  it('half a minute begins anew when the logs have changed', async () => {
    const chain = chainOf(ONES)
    let missing = 1
    const { source, clock } = open(
      chain,
      2,
      onLogs((_, logs) => logs.slice(missing)),
    )
    await expect(source.blockWithLogs(1)).rejects.toThrow()
    clock.advance(30_000)
    missing = 0
    await expect(source.blockWithLogs(1)).rejects.toThrow('do not fit its bloom')
    clock.advance(30_000)
    await expect(source.blockWithLogs(1)).resolves.toEqual(chain.at(1))
  })
})

describe('where blooms hold exactly the logs', () => {
  const EXACT: BloomOf = bloom => bloom

  it('logs that a single provider leaves out are never believed', async () => {
    const chain = chainOf(EXACT)
    let missing = 0
    const { source, clock } = open(chain, 1, (provider, call, answer) =>
      call.method === 'eth_getLogs' ? (answer() as unknown[]).slice(missing) : withoutReceipts(provider, call, answer),
    )
    await source.blockWithLogs(1)
    for (missing = 1; missing <= 2; missing++) {
      for (let tries = 0; tries < 3; tries++) {
        await expect(source.blockWithLogs(4)).rejects.toThrow('the logs of block 4 do not fit its bloom')
        clock.advance(600_000)
      }
    }
    missing = 0
    await expect(source.blockWithLogs(4)).resolves.toEqual(chain.at(4))
    expect(source.warnings()).toEqual([])
  })

  it('one request is enough for the logs of a block, also of one without logs', async () => {
    const methods: string[] = []
    const { source } = open(chainOf(EXACT), 2, (_, { method }, answer) => (methods.push(method), answer()))
    for (const block of [1, 2, 3]) await source.blockWithLogs(block)
    expect(methods.filter(method => method !== 'eth_getBlockByNumber')).toEqual(['eth_getLogs', 'eth_getLogs', 'eth_getLogs'])
  })
})
