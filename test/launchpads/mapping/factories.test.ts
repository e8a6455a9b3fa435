import { type Hex, pad, toEventSelector } from 'viem'
import { expect, it } from 'vitest'
import { parseLaunchpads } from '#configuration/launchpads.ts'
import { type Address, toAddress } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { decodeLogs } from '#launchpads/decodeLogs.ts'
import { createDirectory } from '#launchpads/directory/directory.ts'
import { ADAPTER_KINDS, createAdapters } from '#launchpads/registry.ts'

// A launchpad that has replaced its factory was two launchpads, or one without its earlier tokens.

const [OLD, NEW, STRANGER, WETH, WHO] = ['1', '2', '3', 'e', 'a'].map(digit => toAddress(`0x${digit.repeat(40)}`)) as [
  Address,
  Address,
  Address,
  Address,
  Address,
]
const EVENTS = {
  launch: {
    event: 'event Launch(address indexed token, address indexed by)',
    emitter: 'factory',
    token: 'token',
    creator: 'by',
    decimals: 18,
    name: { function: 'function nameOf(address token) view returns (string)', contract: 'factory', arguments: ['token'] },
  },
  trade: {
    event: 'event Deal(address indexed token, address indexed who, bool buy, uint256 got, uint256 paid)',
    emitter: 'factory',
    token: 'token',
    maker: 'who',
    isBuy: 'buy',
    tokenAmount: 'got',
    quoteAmount: 'paid',
  },
}
const ENTRY = { name: 'mine', adapter: 'bonding-curve', factory: NEW, moreFactories: [OLD], startBlock: 1, events: EVENTS }
const parse = (...launchpads: readonly object[]) => parseLaunchpads(JSON.stringify({ weth: WETH, launchpads }), ADAPTER_KINDS)
const HEADER = { number: 1, hash: `0x${'1'.repeat(64)}`, parentHash: `0x${'0'.repeat(64)}`, timestamp: 1_700_000_000 } as const
const tokenOf = (index: number) => toAddress(`0x${String(index).padStart(40, '7')}`)

function logOf(logIndex: number, address: Address, event: string, topics: readonly Hex[], data: Hex): ChainLog {
  const place = { blockNumber: 1, blockHash: HEADER.hash, txHash: HEADER.hash, txIndex: 0, logIndex }
  return { ...place, address, topics: [toEventSelector(event), ...topics], data }
}

it('one entry follows all factories of a launchpad, and calls the one that launched the token', () => {
  const parsed = parse(ENTRY)
  if (!parsed.ok) throw new Error(parsed.problems.join())
  const adapters = createAdapters(parsed.value)
  const directory = createDirectory(adapters)
  const logs = [NEW, OLD, STRANGER].flatMap((factory, index) => [
    logOf(2 * index, factory, 'Launch(address,address)', [pad(tokenOf(index)), pad(WHO)], '0x'),
    logOf(
      2 * index + 1,
      factory,
      'Deal(address,address,bool,uint256,uint256)',
      [pad(tokenOf(index)), pad(WHO)],
      `0x${'1'.padStart(64, '0').repeat(3)}`,
    ),
  ])
  directory.add(directory.discoveries(logs), 1)
  const { events, malformed } = decodeLogs({ logs, headers: [HEADER], directory, adapters })
  expect(malformed).toEqual([])
  const launches = events.filter(event => event.kind === 'launch')
  expect(launches.map(({ token, unread }) => [token, unread?.calls.map(({ to }) => to)])).toEqual([
    [tokenOf(0), [NEW]],
    [tokenOf(1), [OLD]],
  ])
  expect(events.filter(({ kind }) => kind === 'trade').map(({ token }) => token)).toEqual([tokenOf(0), tokenOf(1)])
})

it.each([
  [{ ...ENTRY, moreFactories: [] }, 'launchpads[0].moreFactories: expected a list of addresses, each 0x and 40 hex digits'],
  [{ ...ENTRY, moreFactories: [NEW] }, `launchpads[0].factory: ${NEW} is the factory of launchpads[0] already`],
  [
    {
      ...ENTRY,
      events: {
        ...EVENTS,
        claimCall: { function: 'function claim(address token)', contract: 'factory', arguments: ['token'] },
      },
    },
    'launchpads[0].events.claimCall.contract: expected one contract that pays all creators, got "factory", of which there are several',
  ],
])('refuses factories that are none, repeated, or all asked to pay (%#)', (entry, problem) => {
  expect(parse(entry)).toMatchObject({ ok: false, problems: [expect.stringContaining(problem)] })
})

it('refuses a factory of another entry', () => {
  const other = { ...ENTRY, name: 'other', factory: STRANGER }
  expect(parse(ENTRY, other)).toEqual({ ok: false, problems: [`launchpads[1].factory: ${OLD} is the factory of launchpads[0] already`] })
})
