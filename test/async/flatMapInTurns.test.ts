import { expect, test } from 'vitest'
import { flatMapInTurns } from '#async/turns.ts'

const items = Array.from({ length: 1_000 }, (_, index) => index)

test('maps in order, to any number of results each', async () => {
  const map = (item: number) => Array.from({ length: item % 3 }, () => item)
  expect(await flatMapInTurns(items, map)).toEqual(items.flatMap(map))
  expect(await flatMapInTurns([], map)).toEqual([])
})

test('lets others run before it has mapped all', async () => {
  let mapped = 0
  const seen = new Promise<number>(resolve => setImmediate(() => resolve(mapped)))
  await flatMapInTurns(items, item => [mapped++, item])
  expect(await seen).toBeGreaterThan(0)
  expect(await seen).toBeLessThan(items.length)
})

test('maps a hundred items in a turn, of all that is mapped at the same time', async () => {
  let mapped = 0
  let isDone = false
  const perTurn: number[] = []
  const count = () => {
    perTurn.push(mapped)
    mapped = 0
    if (!isDone) setImmediate(count)
  }
  const all = Promise.all(Array.from({ length: 10 }, () => flatMapInTurns(items, item => [mapped++, item])))
  // Each begins at once.
  expect(mapped).toBe(1_000)
  mapped = 0
  setImmediate(count)
  await all
  isDone = true
  expect(Math.max(...perTurn)).toBe(100)
})
