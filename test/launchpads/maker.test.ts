import { describe, expect, test } from 'vitest'
import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { SourcedLog } from '#launchpads/adapter.ts'
import { findMaker } from '#launchpads/maker.ts'
import { TRANSFER_TOPIC } from '#launchpads/transfer.ts'

const address = (digit: string) => `0x${digit.repeat(40)}` as Address
const [token, pool, router, user, friend] = ['1', '2', '3', '4', '5'].map(address) as [Address, Address, Address, Address, Address]

function transfer(logIndex: number, from: Address, to: Address, amount: bigint, of = token): SourcedLog {
  const topic = (value: Address): Hex => `0x${value.slice(2).padStart(64, '0')}`
  const log: ChainLog = {
    address: of,
    topics: [TRANSFER_TOPIC, topic(from), topic(to)],
    data: `0x${amount.toString(16).padStart(64, '0')}`,
    blockNumber: 1,
    blockHash: '0x01',
    txHash: '0x02',
    txIndex: 0,
    logIndex,
  }
  return { log, source: { role: 'token', launchpad: 'test', token: of } }
}

const buy = { token, pool, side: 'buy', amountToken: 100n, logIndex: 9 } as const
const sell = { ...buy, side: 'sell' } as const

describe('the maker of a buy', () => {
  test('is who the pool sent the tokens to', () => expect(findMaker([transfer(1, pool, user, 100n)], buy)).toBe(user))
  test('is who a router passed them on to', () =>
    expect(findMaker([transfer(1, pool, router, 100n), transfer(12, router, user, 100n)], buy)).toBe(user))
  test('is not who got a part of them', () =>
    expect(findMaker([transfer(1, pool, user, 100n), transfer(12, user, friend, 40n)], buy)).toBe(user))
  test('is not a launchpad’s contract that keeps tokens of its own', () => {
    const logs = [transfer(1, user, router, 5n), transfer(2, pool, router, 100n), transfer(12, router, friend, 100n)]
    const ofRouter: SourcedLog = { ...transfer(13, user, pool, 1n, router), source: { role: 'contract', launchpad: 'test' } }
    expect(findMaker([...logs, ofRouter], buy)).toBe(friend)
  })
  test('is told by the transfer nearest before the swap', () =>
    expect(findMaker([transfer(1, pool, friend, 100n), transfer(6, pool, user, 100n)], buy)).toBe(user))
  test('is not told by another token', () => expect(findMaker([transfer(1, pool, user, 100n, friend)], buy)).toBeNull())
})

describe('the maker of a sell', () => {
  test('is who sent the tokens to the pool', () => expect(findMaker([transfer(1, user, pool, 100n)], sell)).toBe(user))
  test('is who gave them to the router', () =>
    expect(findMaker([transfer(1, user, router, 100n), transfer(4, router, pool, 100n)], sell)).toBe(user))
  test('is unknown without a transfer', () => expect(findMaker([], sell)).toBeNull())
})

const [collector, manager, locker] = ['6', '7', '8'].map(address) as [Address, Address, Address]

// What the routers of front ends do that take a fee out of the tokens.
describe('the maker behind a router that takes a fee in the token', () => {
  test.each([
    [
      'SwapRouter02, sweepTokenWithFee',
      [transfer(1, pool, router, 100n), transfer(10, router, collector, 3n), transfer(11, router, user, 97n)],
    ],
    [
      'UniversalRouter, PAY_PORTION and SWEEP',
      [transfer(1, pool, router, 100n), transfer(10, router, collector, 25n), transfer(11, router, user, 75n)],
    ],
    [
      'two routers',
      [
        transfer(1, pool, friend, 100n),
        transfer(2, friend, router, 100n),
        transfer(10, router, collector, 1n),
        transfer(11, router, user, 99n),
      ],
    ],
    ['a half for the fee', [transfer(1, pool, router, 100n), transfer(10, router, collector, 50n), transfer(11, router, user, 50n)]],
    ['two buys and one sweep', [transfer(1, pool, router, 40n), transfer(4, pool, router, 100n), transfer(10, router, user, 140n)]],
  ])('is who the rest of a buy reaches: %s', (_, transfers) => expect(findMaker(transfers, buy)).toBe(user))

  test.each([
    ['paid by the router', [transfer(1, user, router, 105n), transfer(2, router, collector, 5n), transfer(3, router, pool, 100n)]],
    ['two sources', [transfer(1, friend, router, 20n), transfer(2, user, router, 80n), transfer(3, router, pool, 100n)]],
    ['a rest that stays with the token', [transfer(1, user, token, 130n), transfer(2, token, pool, 100n)]],
  ])('is whom the tokens of a sell leave: %s', (_, transfers) => expect(findMaker(transfers, sell)).toBe(user))

  test('is who gets the most of what a PoolManager pays out in parts (TAKE_PORTION)', () => {
    const inParts = { ...buy, pool: manager, settled: 'anytime' } as const
    expect(findMaker([transfer(10, manager, collector, 3n), transfer(11, manager, user, 97n)], inParts)).toBe(user)
    expect(
      findMaker([transfer(10, manager, collector, 3n), transfer(11, manager, router, 97n), transfer(12, router, user, 97n)], inParts),
    ).toBe(user)
  })

  // A Zora coin's hook pays rewards in the coin itself when it can't swap them: the payout recipient had been the maker.
  test('is not who gets what a hook takes out of the PoolManager', () => {
    const rewards = [transfer(2, manager, collector, 3n), transfer(3, collector, friend, 3n)]
    const ofHook: SourcedLog = { ...transfer(4, user, friend, 1n, collector), source: { role: 'module', launchpad: 'test' } }
    const inParts = { ...buy, pool: manager, settled: 'anytime' } as const
    expect(findMaker([...rewards, ofHook], inParts)).toBeNull()
    expect(findMaker([...rewards, ofHook, transfer(11, manager, user, 97n)], inParts)).toBe(user)
    expect(findMaker([transfer(2, collector, manager, 3n), ofHook], { ...inParts, side: 'sell' })).toBeNull()
  })

  test('is the trader where a part of what it holds goes on, and no account that the tokens only pass', () => {
    expect(findMaker([transfer(1, pool, user, 100n), transfer(12, user, pool, 100n)], buy)).toBe(user)
    const burned = address('0')
    expect(findMaker([transfer(1, pool, user, 100n), transfer(12, user, burned, 100n)], buy)).toBe(user)
  })

  test("is not a launchpad's contract that keeps the tokens for others", () => {
    const kept: SourcedLog = { ...transfer(13, user, friend, 1n), source: { role: 'contract', launchpad: 'test' } }
    const stored = { ...kept, log: { ...kept.log, address: collector, topics: [] } }
    expect(findMaker([transfer(1, pool, locker, 100n), transfer(12, locker, collector, 100n), stored], buy)).toBe(locker)
  })
})
