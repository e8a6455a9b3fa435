import { expect, test } from 'vitest'
import { rowKeysOf } from '#index/project/project.ts'
import { testAddress } from '#test/support/simulatedChain.ts'
import { follow } from './randomPositions.ts'

const [TOKEN, DOLLAR] = [testAddress(1), testAddress(2)]

test('what ETH costs is needed with events only', () => {
  const { events } = follow(TOKEN, [])
  expect(rowKeysOf(events, [], [DOLLAR]).currencies).toContain(DOLLAR)
  expect(rowKeysOf([], [TOKEN], [DOLLAR])).toMatchObject({ tokens: [TOKEN], currencies: [] })
})

test('of a pool, the bounds of changed positions are needed, and all ticks between its prices', () => {
  const { events } = follow(TOKEN, [
    { kind: 'add', lower: -30, width: 37, amount: 5n },
    { kind: 'swap', tick: 3, beside: 0n },
    { kind: 'swap', tick: -20, beside: 1n },
    { kind: 'swap', tick: 5, beside: 0n },
    { kind: 'swap', tick: 4, beside: 0n },
  ])
  expect(rowKeysOf(events, [], []).ticks.map(({ from, to, isPrice }) => [from, to, isPrice])).toEqual([
    [-20, 5, true],
    [-30, -30, false],
    [7, 7, false],
  ])
})
