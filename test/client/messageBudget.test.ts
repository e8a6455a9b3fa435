import { expect, test } from 'vitest'
import { MessageBudget } from '#client/feed/feedConnection.ts'

test('a connection sends 180 messages at once and from then on one every 25 ms', () => {
  const budget = new MessageBudget()
  expect(Array.from({ length: 181 }, () => budget.take(1_000))).toEqual([...Array<number>(180).fill(0), 25])
  // A message that has to wait takes nothing.
  expect([budget.take(1_024), budget.take(1_025), budget.take(1_025)]).toEqual([1, 0, 25])
})
