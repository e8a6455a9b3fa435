import { readFileSync } from 'node:fs'
import solc from 'solc'
import { encodeAbiParameters, encodeFunctionData, type Hex, pad, parseAbi, parseAbiParameters, toEventSelector } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fetchCallAnswers as fetchAnswers, MAX_CALLS_PER_RUN, READ_CALLS } from '#chain/chainSource.ts'
import { compiledOnce } from '#devchain/compiledOnce.ts'
import { type Address, toAddress } from '#domain/address.ts'
import type { BlockCalls, CallAnswer } from '#domain/contractCall.ts'
import { createMappedAdapter } from '#launchpads/mapping/compile.ts'
import type { EventsMapping } from '#launchpads/mapping/schema.ts'
import { createRpc } from '#rpc/rpc.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { compileSolidity } from '#test/support/compileSolidity.ts'
import { silentLogger } from '#test/support/database.ts'
import { deployContract } from '#test/support/deployContract.ts'
import { type FakeCall, type Misbehaviour, relayTo, startFakeProvider } from '#test/support/fakeProvider.ts'

// A name that a call refuses, and one that a provider can't read, must never be confused: a fresh index would have another one.

const ODD = compileSolidity(new URL('../launchpads/contracts/OddTokens.sol', import.meta.url))
const NAME = encodeFunctionData({ abi: parseAbi(['function name() view returns (string)']), functionName: 'name' })
const [FACTORY, WETH] = [toAddress(`0x${'f'.repeat(40)}`), toAddress(`0x${'e'.repeat(40)}`)]

let chain: TestChain
beforeAll(async () => {
  chain = await startTestChain()
})

const deployed = (contract: string, ...args: readonly unknown[]) => deployContract(chain, ODD.get(contract), args)
const open: (() => void | Promise<void>)[] = []
afterAll(async () => {
  for (const close of open) await close()
})

/** Providers that refuse calls of blocks in their own words. */
async function rpcOf(...refusals: readonly ((call: FakeCall) => Misbehaviour | undefined)[]) {
  const providers = await Promise.all(refusals.map(misbehave => startFakeProvider({ chain: relayTo(chain.anvil.url), misbehave })))
  const rpc = createRpc({ urls: providers.map(({ url }) => url), chainId: null, logger: silentLogger })
  await rpc.connect()
  open.push(rpc.close, ...providers.map(({ stop }) => stop))
  return rpc
}
const works = () => undefined
const fetchCallAnswers = (rpc: Parameters<typeof fetchAnswers>[0], block: BlockCalls) => fetchAnswers(rpc, block, { refusals: 0 })
const refuses =
  (code: number, message: string) =>
  ({ method }: FakeCall): Misbehaviour | undefined =>
    method === 'eth_call' ? { kind: 'error', code, message } : undefined

async function callsAt(...tokens: readonly Address[]): Promise<BlockCalls> {
  const { number, hash } = await chain.client.getBlock()
  return { number: Number(number), hash, calls: tokens.map(to => ({ to, data: NAME })) }
}

describe('the name by a call', () => {
  it('is the compiled ReadCalls.yul that asks for it', () => {
    const source = readFileSync(new URL('../../src/chain/ReadCalls.yul', import.meta.url), 'utf8')
    const settings = {
      evmVersion: 'london',
      optimizer: { enabled: true, runs: 1, details: { yul: true } },
      outputSelection: { '*': { '*': ['evm.bytecode.object'] } },
    }
    const input = JSON.stringify({ language: 'Yul', sources: { 'ReadCalls.yul': { content: source } }, settings })
    const output = JSON.parse(compiledOnce([input], () => String(solc.compile(input)))) as {
      readonly contracts: Record<string, Record<string, { readonly evm: { readonly bytecode: { readonly object: string } } }>>
    }
    expect(`0x${output.contracts['ReadCalls.yul']?.['ReadCalls']?.evm.bytecode.object}`).toBe(READ_CALLS)
  })

  it.each([
    ['is a text', 'PlainName', ['Café ☕'], 'Café ☕'],
    ['is a word of an old token', 'WordName', [], 'Maker'],
    ['is empty', 'PlainName', [''], null],
    ['has NULs', 'PlainName', ['\0a\0b\0'], 'ab'],
    ['is longer than what is kept', 'PlainName', ['x'.repeat(3_000)], 'x'.repeat(512)],
    ['has NULs alone', 'LongName', [5_000], null],
    ['is longer than an answer', 'PlainName', ['x'.repeat(7_000)], null],
    ['is a megabyte', 'LongName', [1_000_000], null],
    ['begins out of its answer', 'BrokenName', [2n ** 255n, 5n], null],
    ['is longer than its answer', 'BrokenName', [32n, 2n ** 200n], null],
    ['is refused', 'Reverting', [], null],
    ['never ends', 'Endless', [], null],
    ['writes', 'Counting', [], null],
  ] as const)('that %s', async (_, contract, args, name) => {
    const token = await deployed(contract, ...args)
    const [answer] = await fetchCallAnswers(await rpcOf(works), await callsAt(token))
    expect(nameBy(answer ?? null)).toBe(name)
  })

  it('of an account without code is unknown', async () => {
    const [answer] = await fetchCallAnswers(await rpcOf(works), await callsAt(toAddress(`0x${'9'.repeat(40)}`)))
    expect([answer, nameBy(answer ?? null)]).toEqual(['0x', null])
  })

  it('is the one that it had in the block, in the order of more calls than a run takes', async () => {
    const tokens = [await deployed('PlainName', 'First'), await deployed('Reverting')]
    const before = await callsAt()
    const { calls } = await callsAt(...tokens, await deployed('PlainName', 'Later'))
    const many = await callsAt(...Array.from({ length: MAX_CALLS_PER_RUN }, () => tokens).flat())
    const rpc = await rpcOf(works)
    expect((await fetchCallAnswers(rpc, { ...before, calls })).map(nameBy)).toEqual(['First', null, null])
    const answers = await fetchCallAnswers(rpc, many)
    expect(answers.map(nameBy)).toEqual(Array.from({ length: MAX_CALLS_PER_RUN }, () => ['First', null]).flat())
  })
})

describe('a provider that can not read a block', () => {
  const REFUSALS = [
    refuses(-32000, 'missing trie node 5f3c (path ) state 0x5f3c is not available'),
    refuses(-32000, 'header not found'),
    refuses(3, 'execution reverted'),
    refuses(-32602, 'required argument missing: to'),
    refuses(-32603, 'Internal error'),
    refuses(-32016, 'état indisponible'),
  ]

  it.each(REFUSALS)('is passed over, whatever it says (%#)', async refusal => {
    const token = await deployed('PlainName', 'Kept')
    const [answer] = await fetchCallAnswers(await rpcOf(refusal, works), await callsAt(token))
    expect(nameBy(answer ?? null)).toBe('Kept')
  })

  it('stops indexing with its own words if there is no other, and is never taken for a token without a name', async () => {
    const token = await deployed('PlainName', 'Kept')
    const [, , second = works, first = works] = REFUSALS
    await expect(fetchCallAnswers(await rpcOf(first, second), await callsAt(token))).rejects.toMatchObject({
      retryable: true,
      message: expect.stringMatching(/no provider runs calls on the state of block \d+: .*required argument missing: to/),
    })
  })

  it('is done without where nothing depends on it, once it is refused again and again', async () => {
    const asked = await callsAt(await deployed('PlainName', 'Kept'))
    const [, , refusal = works] = REFUSALS
    const rpc = await rpcOf(refusal)
    const block = { ...asked, calls: asked.calls.map(call => ({ ...call, isOptional: true })) }
    const optional = { refusals: 0 }
    for (let count = 0; count < 2; count++) await expect(fetchAnswers(rpc, block, optional)).rejects.toMatchObject({ retryable: true })
    expect(await fetchAnswers(rpc, block, optional)).toEqual([null])
    // What is needed is waited for, in the same block, too.
    await expect(fetchAnswers(rpc, { ...block, calls: [...block.calls, ...asked.calls] }, optional)).rejects.toMatchObject({
      retryable: true,
    })
    expect(await fetchAnswers(await rpcOf(works), block, optional)).not.toEqual([null])
    expect(optional.refusals).toBe(0)
  })

  it('that is on another chain of blocks is not believed', async () => {
    const asked = await callsAt(await deployed('PlainName', 'Kept'))
    const rpc = await rpcOf(works)
    await expect(fetchCallAnswers(rpc, { ...asked, hash: `0x${'0'.repeat(64)}` })).rejects.toMatchObject({ code: 'rpc_inconsistent' })
  })

  it.each([
    ['nothing', null],
    ['too little', encodeAbiParameters(parseAbiParameters('uint256'), [5n])],
    ['too much', `0x${'0'.repeat(128)}`],
    ['no bytes', '0xabc'],
  ])('and answers %s is not believed', async (_, result) => {
    const answers = ({ method }: FakeCall): Misbehaviour | undefined => (method === 'eth_call' ? { kind: 'result', result } : undefined)
    const token = await deployed('PlainName', 'Kept')
    const [answer] = await fetchCallAnswers(await rpcOf(answers, works), await callsAt(token))
    expect(nameBy(answer ?? null)).toBe('Kept')
  })
})

/** The name that a token has whose `name()` gives this answer. */
function nameBy(answer: CallAnswer): string | null {
  const trade = {
    event: 'event Deal(address token, address who, bool buy, uint256 got, uint256 paid)',
    emitter: 'factory',
    token: 'token',
  } as const
  const events: EventsMapping = {
    launch: {
      event: 'event Launch(address indexed token)',
      emitter: 'factory',
      token: 'token',
      creator: 'sender',
      decimals: 18,
      name: { function: 'function name() view returns (string)' },
    },
    trade: { ...trade, maker: 'who', isBuy: 'buy', tokenAmount: 'got', quoteAmount: 'paid' },
  }
  const adapter = createMappedAdapter({ launchpad: 'mine', events, contracts: { factory: FACTORY }, weth: WETH, startBlock: 0 })
  const hash: Hex = `0x${'1'.repeat(64)}`
  const place = { blockNumber: 1, blockHash: hash, txHash: hash, txIndex: 0, logIndex: 0 }
  const log = { ...place, address: FACTORY, topics: [toEventSelector('Launch(address)'), pad('0x7')], data: '0x' as Hex }
  const header = { number: 1, hash, parentHash: hash, timestamp: 1 }
  const logs = [{ log, source: { role: 'contract', launchpad: 'mine' } as const }]
  const [launch] = adapter.decode({ header, txHash: hash, logs }, () => undefined).events
  if (launch?.kind !== 'launch' || launch.unread === undefined) throw new Error('expected a launch with calls')
  const [completed] = launch.unread.complete([answer], 0n)
  if (completed?.kind !== 'launch') throw new Error('expected a launch')
  return completed.name
}
