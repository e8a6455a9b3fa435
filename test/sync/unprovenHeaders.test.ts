import { numberToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { headerHash } from '#rpc/header.ts'
import { type ChainRpcOptions, createChainRpc } from '#test/support/chainRpc.ts'
import { type RunningSync, runSync } from '#test/support/indexing.ts'
import { createLogLines } from '#test/support/logLines.ts'
import { createMemoryIndex, type MemoryIndex } from '#test/support/memoryCommitter.ts'
import { createSimulatedChain, type SimulatedChain, testAddress } from '#test/support/simulatedChain.ts'

type RawHeader = Readonly<Record<string, string>>

/** Changes the headers that a provider shows. */
const showing = (change: (header: RawHeader, provider: string) => object | null): ChainRpcOptions => ({
  intercept: (provider, { method }, answer) => {
    const said = answer() as RawHeader | null
    return method === 'eth_getBlockByNumber' && said !== null ? change(said, provider) : said
  },
})

/** The field is a part of the hash that this version does not know. */
const withNewField = (header: RawHeader) => ({ ...header, nonce: '0x00000000000000ff', fieldOfAFork: '0x1' })

function run(
  chain: SimulatedChain,
  providers: number,
  options: ChainRpcOptions,
  index = createMemoryIndex({ contracts: [testAddress(0)] }),
) {
  const log = createLogLines()
  const rpc = createChainRpc(
    Array.from({ length: providers }, () => chain),
    { logger: log.logger, ...options },
  )
  const running = runSync({ rpc, index, maxReorgDepth: 4, genesisHash: chain.at(0).header.hash })
  const follow = async (number: number) => {
    while (chain.head().header.number < number) chain.mine()
    await running.until(() => index.cursor() === number, `block ${number} is indexed`)
    expect(index.batches.at(-1)?.to).toMatchObject({ hash: chain.at(number).header.hash, timestamp: chain.at(number).header.timestamp })
  }
  return { rpc, index, running, follow, log }
}

/** Nothing more is committed, for a reason, until `mend` is called. */
async function expectStandstill(running: RunningSync, index: MemoryIndex, reason: string): Promise<void> {
  const before = index.cursor()
  await running.until(() => running.log.text().includes(reason), 'it is noticed')
  await running.settle()
  expect(index.cursor()).toBe(before)
}

// A fork that added a field to headers ended indexing for good, also after a restart: all providers were taken for liars.
describe.each([1, 2])('where a fork adds a field to headers, over %i provider(s)', providers => {
  const options = showing(header => (Number(header['number']) >= 5 ? withNewField(header) : header))

  it('blocks are followed, in ranges too, before and after a restart, and it is said what is not proven', async () => {
    const chain = createSimulatedChain()
    const first = run(chain, providers, options)
    await first.follow(4)
    expect(first.rpc.headers.warning()).toBeNull()
    await first.follow(5)
    await first.follow(9)
    expect(first.rpc.headers.warning()).toContain('from block 5 on, the hashes of headers do not prove their fields')
    expect(first.log.lines()).toEqual([expect.objectContaining({ fromBlock: 5, unknownFields: ['fieldOfAFork'] })])
    await first.running.sync.stop()

    const second = run(chain, providers, options, first.index)
    await second.follow(12)
    await second.running.sync.stop()
    const fresh = run(chain, providers, options)
    await fresh.follow(12)
    await fresh.running.sync.stop()
  })
})

describe('on a chain whose headers prove nothing', () => {
  // One such header turned all honest providers away until a restart.
  it.each([
    ['once', 1],
    ['always', Number.POSITIVE_INFINITY],
  ])('a provider that %s shows a proven header changes nothing', async (_, times) => {
    const chain = createSimulatedChain({ provesHeaders: false })
    let left = times
    const { follow, running } = run(
      chain,
      2,
      showing((header, provider) =>
        provider === 'rpc-1' && header['number'] === '0x3' && left-- > 0 ? { ...header, stateRoot: `0x${'5a'.repeat(32)}` } : header,
      ),
    )
    for (let number = 1; number <= 8; number++) await follow(number)
    expect(running.log.text()).toBe('')
    await running.sync.stop()
  })

  it.each(['made up with its hash', 'of another time'])('a header %s by one of two providers is not committed', async kind => {
    const chain = createSimulatedChain({ provesHeaders: false })
    let lies = false
    const made = (header: RawHeader) => {
      const fields = { ...header, timestamp: numberToHex(Number(header['timestamp']) + 1) }
      if (kind === 'of another time') return fields
      const proven = { ...fields, stateRoot: `0x${'77'.repeat(32)}` }
      return { ...proven, hash: headerHash(proven) }
    }
    const { follow, running, index } = run(
      chain,
      2,
      showing((header, provider) => (lies && provider === 'rpc-1' && header['number'] === '0x4' ? made(header) : header)),
    )
    await follow(3)
    lies = true
    chain.mine()
    await expectStandstill(running, index, 'providers show different headers of block 4')
    lies = false
    await follow(6)
    await running.sync.stop()
  })

  it('a block is not committed before a second provider has it', async () => {
    const chain = createSimulatedChain({ provesHeaders: false })
    let end = Number.POSITIVE_INFINITY
    const { follow, running, index } = run(chain, 2, {
      intercept: (provider, { method, params }, answer) => {
        if (provider !== 'rpc-2' || method !== 'eth_getBlockByNumber') return answer()
        if (params[0] === 'latest') return chain.answer(method, [numberToHex(Math.min(end, chain.head().header.number)), false])
        return Number(params[0]) > end ? null : answer()
      },
    })
    await follow(3)
    end = 3
    chain.mine()
    await expectStandstill(running, index, 'does not have block 4')
    end = Number.POSITIVE_INFINITY
    await follow(5)
    await running.sync.stop()
  })
})
