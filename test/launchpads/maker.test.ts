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
