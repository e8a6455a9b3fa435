import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { SourcedLog } from '#launchpads/adapter.ts'
import { findMakers, type Swap, TRANSFER_TOPIC } from '#launchpads/maker.ts'

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

const findMaker = (logs: readonly SourcedLog[], swap: Swap) => findMakers(logs, [swap])[0]
const buy = { token, place: pool, by: 'pool', side: 'buy', amountToken: 100n, logIndex: 9 } as const
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
    const inParts = { ...buy, place: manager, by: 'poolManager' } as const
    expect(findMaker([transfer(10, manager, collector, 3n), transfer(11, manager, user, 97n)], inParts)).toBe(user)
    expect(
      findMaker([transfer(10, manager, collector, 3n), transfer(11, manager, router, 97n), transfer(12, router, user, 97n)], inParts),
    ).toBe(user)
  })

  // A Zora coin's hook pays rewards in the coin itself when it can't swap them: the payout recipient had been the maker.
  test('is not who gets what a hook takes out of the PoolManager', () => {
    const rewards = [transfer(2, manager, collector, 3n), transfer(3, collector, friend, 3n)]
    const ofHook: SourcedLog = { ...transfer(4, user, friend, 1n, collector), source: { role: 'module', launchpad: 'test' } }
    const inParts = { ...buy, place: manager, by: 'poolManager' } as const
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

// Equal buys for A, B, C and D had been served as B, C, D and D: each trade looked for its transfer without regard to the others.
describe('the makers of several trades of one transaction', () => {
  const users = Array.from({ length: 8 }, (_, index) => `0x${(0xa0 + index).toString(16).repeat(20)}` as Address)

  test.each(['before', 'after', 'before and after'])('are those of equal buys on a curve that sends %s its event', order => {
    const logs: SourcedLog[] = []
    const swaps: Swap[] = []
    for (const [index, who] of users.entries()) {
      const isBefore = order === 'before' || (order !== 'after' && index % 3 === 0)
      swaps.push({ ...buy, by: 'curve', logIndex: 10 * index + 5 })
      logs.push(transfer(10 * index + (isBefore ? 4 : 6), pool, who, 100n))
    }
    expect(findMakers(logs, swaps)).toEqual(users)
  })

  test('leave a trade out whose transfer is not there, in place of counting one twice', () => {
    const swaps = [5, 15, 25].map(logIndex => ({ ...buy, by: 'curve', logIndex }) as const)
    const [first, , third] = users
    const logs = [first, third].map((who, index) => transfer(4 + 20 * index, pool, who as Address, 100n))
    expect(findMakers(logs, swaps)).toEqual([first, null, third])
    expect(findMakers(logs.slice(0, 1), swaps.slice(0, 2))).toEqual([first, null])
  })

  test('are whom a router pays, also where a PoolManager settles all swaps at once', () => {
    const swaps = [1, 2, 3, 4].map(logIndex => ({ ...buy, place: manager, by: 'poolManager', logIndex }) as const)
    const paid = users.slice(0, 4)
    const onward = paid.map((who, index) => transfer(20 + index, router, who, 100n))
    expect(findMakers([transfer(10, manager, router, 400n), ...onward], swaps)).toEqual(paid)
    const taken = [10, 11, 12, 13].map(logIndex => transfer(logIndex, manager, router, 100n))
    expect(findMakers([...taken, ...onward], swaps)).toEqual(paid)
    // One settlement for other swaps than these shows nothing.
    expect(findMakers([transfer(10, manager, router, 350n), ...onward], swaps)).toEqual([null, null, null, null])
  })

  test('are found in a bounded time, however many trades there are', () => {
    const many = Array.from({ length: 2_000 }, (_, index) => index)
    const logs = many.flatMap(index => [
      transfer(10 * index, pool, users[index % 8] as Address, 97n),
      transfer(10 * index + 1, pool, router, 3n),
    ])
    const swaps = many.map(index => ({ ...buy, by: 'curve', logIndex: 10 * index + 5 }) as const)
    expect(findMakers(logs, swaps)).toHaveLength(2_000)
  })

  test('are whom it is done for in a sandwich that one contract makes in one transaction', () => {
    const [bot, victim] = [friend, user]
    const logs = [transfer(1, pool, bot, 100n), transfer(3, pool, victim, 100n), transfer(5, bot, pool, 100n)]
    const swaps = [2, 4].map(logIndex => ({ ...buy, logIndex }) as const)
    expect(findMakers(logs, [...swaps, { ...sell, logIndex: 6 }])).toEqual([bot, victim, bot])
  })

  test('are those for whom a curve mints, or whose tokens it burns', () => {
    const nobody = `0x${'0'.repeat(40)}` as Address
    const paid = users.slice(0, 3)
    const swaps = [2, 4, 6].map(logIndex => ({ ...buy, by: 'curve', logIndex }) as const)
    expect(
      findMakers(
        paid.map((who, index) => transfer(1 + 2 * index, nobody, who, 100n)),
        swaps,
      ),
    ).toEqual(paid)
    const sold = swaps.map(swap => ({ ...swap, side: 'sell' }) as const)
    expect(
      findMakers(
        paid.map((who, index) => transfer(1 + 2 * index, who, nobody, 100n)),
        sold,
      ),
    ).toEqual(paid)
    expect(findMakers([transfer(1, nobody, user, 100n)], [buy])).toEqual([null])
  })

  test('are told by amounts where a hook of the token buys in the middle of a buy', () => {
    const logs = [transfer(1, pool, user, 100n), transfer(2, pool, friend, 50n)]
    const [inner, outer] = [
      { ...buy, by: 'curve', amountToken: 50n, logIndex: 3 },
      { ...buy, by: 'curve', logIndex: 4 },
    ] as const
    expect(findMakers(logs, [inner, outer])).toEqual([friend, user])
  })

  test('are found by transfers whose parameters are not indexed, and by no ERC-721 ones', () => {
    const { log, source } = transfer(4, pool, user, 100n)
    const [topic, ...words] = log.topics as [Hex, Hex, Hex]
    const data: Hex = `0x${words.map(word => word.slice(2)).join('')}${log.data.slice(2)}`
    const asNft = { ...log, topics: [topic, ...words, log.data], data: '0x' as const }
    expect(findMakers([{ log: { ...log, topics: [topic], data }, source }], [buy])).toEqual([user])
    expect(findMakers([{ log: asNft, source }], [buy])).toEqual([null])
  })

  interface Deal {
    readonly who: number
    readonly amount: bigint
    readonly isFirst: boolean
    readonly side: 'buy' | 'sell'
    readonly noise: number
  }

  const deal = fc.record<Deal>({
    who: fc.nat(7),
    amount: fc.constantFrom(100n, 100n, 250n, 4_000n),
    isFirst: fc.boolean(),
    side: fc.constantFrom('buy', 'sell'),
    noise: fc.nat(2),
  })

  // The model moves the tokens of each deal by itself and knows whose they are.
  test.each([
    ['in full', 0n, false],
    ['less a tax that is sent away', 3n, true],
    ['less a tax that no transfer shows', 3n, false],
  ])('are those to whom or from whom the tokens went: %s', (_, percent, isSent) => {
    fc.assert(
      fc.property(fc.array(deal, { minLength: 1, maxLength: 12 }), fc.boolean(), (deals, throughRouter) => {
        const logs: SourcedLog[] = []
        const swaps: Swap[] = []
        let next = 0
        const move = (from: Address, to: Address, amount: bigint) => {
          const tax = (amount * percent) / 100n
          if (isSent && tax > 0n) logs.push(transfer(next++, from, collector, tax))
          logs.push(transfer(next++, from, to, amount - tax))
          return amount - tax
        }
        for (const { who, amount, isFirst, side, noise } of deals) {
          const user = users[who] as Address
          for (let count = 0; count < noise; count++) logs.push(transfer(next++, friend, locker, 100n))
          logs.push(transfer(next++, pool, user, 0n), transfer(next++, pool, user, 100n, friend))
          const deliver = () => {
            const way = throughRouter ? [pool, router, user] : [pool, user]
            if (side === 'sell') way.reverse()
            way.slice(1).reduce((left, to, index) => move(way[index] as Address, to, left), amount)
          }
          if (isFirst) deliver()
          const traded = side === 'sell' && throughRouter ? amount - (amount * percent) / 100n : amount
          swaps.push({ ...buy, side, by: 'curve', amountToken: traded, logIndex: next++ })
          if (!isFirst) deliver()
        }
        // Who buys and sells in one transaction keeps nothing, or too little: see above.
        const traded = new Map<number, bigint>()
        const firstSide = new Map<number, string>()
        for (const { who, side } of deals) {
          fc.pre((firstSide.get(who) ?? side) === side)
          firstSide.set(who, side)
          traded.set(who, (traded.get(who) ?? 0n) + 1n)
        }
        expect(findMakers(logs, swaps)).toEqual(deals.map(({ who }) => users[who]))
      }),
      { numRuns: 60 },
    )
  })
})
