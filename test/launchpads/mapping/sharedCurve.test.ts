import { type Hex, pad, toEventSelector } from 'viem'
import { expect, it } from 'vitest'
import { type Address, toAddress } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { project } from '#index/project/project.ts'
import { decodeLogs } from '#launchpads/decodeLogs.ts'
import { createDirectory } from '#launchpads/directory/directory.ts'
import { createMappedAdapter } from '#launchpads/mapping/adapter.ts'
import type { EventsMapping } from '#launchpads/mapping/schema.ts'
import { memoryRows } from '#test/support/memoryRows.ts'

// A mapping that takes one contract for all tokens for each token's own curve: nothing at start can tell, and the pool's row went from
// token to token.

const [FACTORY, MARKET, FIRST, SECOND, WETH, WHO] = ['f', 'c', '1', '2', 'e', 'a'].map(digit => toAddress(`0x${digit.repeat(40)}`)) as [
  Address,
  Address,
  Address,
  Address,
  Address,
  Address,
]
const EVENTS: EventsMapping = {
  launch: {
    event: 'event Launch(address indexed token, address indexed by, address indexed curve)',
    emitter: 'factory',
    token: 'token',
    creator: 'by',
    curve: 'curve',
    decimals: 18,
  },
  trade: {
    event: 'event Deal(address indexed token, address indexed who, bool buy, uint256 got, uint256 paid)',
    emitter: 'curve',
    token: 'token',
    maker: 'who',
    isBuy: 'buy',
    tokenAmount: 'got',
    quoteAmount: 'paid',
  },
}
const HEADER = { number: 1, hash: `0x${'1'.repeat(64)}`, parentHash: `0x${'0'.repeat(64)}`, timestamp: 1_700_000_000 } as const

const adapter = createMappedAdapter({ launchpad: 'mine', events: EVENTS, contracts: { factory: FACTORY }, weth: WETH, startBlock: 0 })
let logIndex = 0
const logOf = (address: Address, topics: readonly Hex[], data: Hex): ChainLog => ({
  address,
  topics,
  data,
  blockNumber: 1,
  blockHash: HEADER.hash,
  txHash: `0x${'2'.repeat(64)}`,
  txIndex: 0,
  logIndex: logIndex++,
})
const launch = (token: Address, curve: Address) =>
  logOf(FACTORY, [toEventSelector('Launch(address,address,address)'), pad(token), pad(WHO), pad(curve)], '0x')
const words = (...values: readonly bigint[]): Hex => `0x${values.map(value => value.toString(16).padStart(64, '0')).join('')}`
const deal = (token: Address) =>
  logOf(MARKET, [toEventSelector('Deal(address,address,bool,uint256,uint256)'), pad(token), pad(WHO)], words(1n, 10n ** 18n, 10n ** 15n))

it('a second token that names the curve of another one has no pool, and takes nothing from the first', () => {
  const logs = [launch(FIRST, MARKET), launch(SECOND, MARKET), deal(FIRST), deal(SECOND)]
  const directory = createDirectory([adapter])
  directory.add(directory.discoveries(logs), 1)
  const { events, malformed } = decodeLogs({ logs, headers: [HEADER], directory, adapters: [adapter] })
  // The deal of the second token comes from what is known as the first one's curve.
  expect(malformed).toEqual([logs[3]])
  const rows = memoryRows().load(HEADER.timestamp)
  const changes = project({
    events,
    rows,
    now: HEADER.timestamp,
    weth: WETH,
    quotePools: new Map(),
    etherWrappers: new Set(),
    pegs: new Map(),
    ethUsd: null,
    directory,
  })
  expect(changes.pools).toMatchObject([{ address: MARKET, token: FIRST }])
  expect(changes.tokens.map(({ address, mainPool, tradeCount }) => [address, mainPool, tradeCount])).toEqual([
    [FIRST, MARKET, 1],
    [SECOND, null, 0],
  ])
})

it('a launch that names a contract of the entry as the curve is counted as one that does not fit', () => {
  const log = launch(FIRST, FACTORY)
  const directory = createDirectory([adapter])
  expect(directory.discoveries([log])).toEqual([])
  expect(decodeLogs({ logs: [log], headers: [HEADER], directory, adapters: [adapter] })).toEqual({
    events: [],
    malformed: [log],
  })
})
