import { describe, expect, test } from 'vitest'
import type { LaunchpadConfig } from '#config'
import type { Address } from '#domain/address.ts'
import { describeChanges, isIdle, planLaunchpads } from '#launchpads/planLaunchpads.ts'
import { testAddress } from '#test/support/simulatedChain.ts'

const entry = (name: string, startBlock = 100, more: Partial<LaunchpadConfig> = {}): LaunchpadConfig => ({
  name,
  adapter: 'bonding-curve',
  startBlock,
  contracts: { factory: testAddress(1) },
  ...more,
})
const quotePool = (name: string, token: Address, against?: Address): LaunchpadConfig =>
  entry(name, 50, { adapter: 'quote-pool', contracts: { token, pool: testAddress(70), ...(against && { against }) } })

const [DOLLAR, EURO] = [testAddress(8), testAddress(9)]
const A = entry('a')
const B = entry('b', 200, { settings: { events: { bought: 'Bought(address)' } } })

describe('planLaunchpads', () => {
  test.each([
    ['the same list in another order', [A, B], [B, A], [], [], []],
    ['a key that only checks an id', [A], [{ ...A, settings: { poolKey: { fee: 1 } } }], [], [], []],
    ['an added entry', [A], [A, B], ['b: added from block 200, 801 blocks'], ['b'], []],
    ['a removed entry', [A, B], [A], ['b: removed'], [], ['b']],
    [
      'an earlier start',
      [A, B],
      [A, { ...B, startBlock: 20 }],
      ['b: begins earlier than block 200, rebuilt from block 20, 981 blocks'],
      ['b'],
      ['b'],
    ],
    [
      'a later start',
      [A],
      [{ ...A, startBlock: 300 }],
      ['a: changed (startBlock was 100, is 300), rebuilt from block 300, 701 blocks'],
      ['a'],
      ['a'],
    ],
    [
      'another contract and another setting',
      [A],
      [{ ...A, contracts: { factory: testAddress(2) }, settings: { events: {} } }],
      [`a: changed (factory was "${testAddress(1)}", is "${testAddress(2)}", events is {}), rebuilt from block 100, 901 blocks`],
      ['a'],
      ['a'],
    ],
    ['another name', [A], [{ ...A, name: 'c' }], ['c: added from block 100, 901 blocks', 'a: removed'], ['c'], ['a']],
  ] as const)('tells %s', (_, inForce, wanted, lines, joined, leaving) => {
    const plan = planLaunchpads({ launchpads: inForce }, { launchpads: wanted })
    expect(describeChanges(plan, 1_000)).toEqual(lines)
    expect([plan.joined, plan.leaving]).toEqual([joined, leaving])
    expect(isIdle(plan)).toBe(lines.length === 0)
  })

  test('rebuilds the launchpads whose currency is valued by another pool, also through a third currency', () => {
    const quotedIn = new Map([
      ['a', [EURO]],
      ['b', [testAddress(99)]],
    ])
    const euro = quotePool('euro', EURO, DOLLAR)
    const plan = planLaunchpads({ launchpads: [A, B, euro] }, { launchpads: [A, B, euro, quotePool('dollar', DOLLAR)] }, quotedIn)
    expect(plan.steps.map(({ name, kind }) => [name, kind])).toEqual([
      ['a', 'revalued'],
      ['b', 'unchanged'],
      ['euro', 'unchanged'],
      ['dollar', 'added'],
    ])
    // Every pool that values a currency is in the side index with what is rebuilt.
    expect(plan.side.map(({ name }) => name)).toEqual(['a', 'euro', 'dollar'])
    expect([plan.joined, plan.leaving]).toEqual([['a', 'dollar'], ['a']])
  })

  test('rebuilds the launchpads whose currency is pegged otherwise, and those that an operator wants rebuilt', () => {
    const quotedIn = new Map([['a', [EURO]]])
    const [euro, peg] = [quotePool('euro', EURO, DOLLAR), { token: DOLLAR, decimals: 6 }]
    const plan = planLaunchpads({ launchpads: [A, B, euro], rebuild: ['b'] }, { launchpads: [A, B, euro], pegUsd: [peg] }, quotedIn)
    expect(describeChanges(plan, null)).toEqual([
      `a: valued otherwise (in ${EURO}), rebuilt from block 100`,
      'b: rebuilt from block 200',
      `pegUsd: changed for ${DOLLAR}`,
    ])
    const unused = planLaunchpads({ launchpads: [A], pegUsd: [peg] }, { launchpads: [A], pegUsd: [{ ...peg, decimals: 18 }] })
    expect([isIdle(unused), unused.joined]).toEqual([false, []])
  })

  test.each([
    ['a pool of a dollar comes', [A], [A, quotePool('dollar', DOLLAR)]],
    ['a pool of a dollar goes', [A, quotePool('dollar', DOLLAR)], [A]],
    ['the pool of a dollar changes', [A, quotePool('dollar', DOLLAR)], [A, quotePool('dollar', DOLLAR, EURO)]],
  ] as const)('rebuilds every launchpad when ether has another price in dollars, as when %s', (_, before, after) => {
    const pegUsd = [{ token: DOLLAR, decimals: 6 }]
    const plan = planLaunchpads({ launchpads: before, pegUsd }, { launchpads: after, pegUsd })
    expect(plan.steps[0]).toEqual({ kind: 'revalued', name: 'a', fromBlock: 100, currencies: [DOLLAR] })
  })

  test('does not count the version of an adapter as a difference', () => {
    expect(isIdle(planLaunchpads({ launchpads: [{ ...A, version: 1 }] }, { launchpads: [{ ...A, version: 2 }] }))).toBe(true)
  })
})
