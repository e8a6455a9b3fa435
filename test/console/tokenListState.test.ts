import { expect, test } from 'vitest'
import {
  afterListEvent,
  hasMore,
  type ListEvent,
  MAX_ROWS,
  movedPlaces,
  NOT_LOADED,
  PAGE_ROWS,
  type TokenListState,
} from '#console/state/tokenListState.ts'
import { addressOf } from '#test/support/snapshots.ts'

const addresses = (...numbers: readonly number[]) => numbers.map(addressOf)
const numbersOf = ({ shown }: TokenListState) => shown.map(Number)
const after = (state: TokenListState, ...events: readonly ListEvent[]) => events.reduce(afterListEvent, state)
const ordered = (...order: readonly number[]): ListEvent => ({ type: 'ordered', order: addresses(...order) })
const more = (...numbers: readonly number[]): ListEvent => ({ type: 'loadedMore', addresses: addresses(...numbers), cursor: null })
const loaded = (...numbers: readonly number[]) => after(NOT_LOADED, { type: 'loaded', addresses: addresses(...numbers), cursor: 'next' })
const page = Array.from({ length: PAGE_ROWS }, (_, index) => index + 1)
const HELD: ListEvent = { type: 'held', isHeld: true }

test('a held list counts the places that a new order would change', () => {
  const moved = (shown: readonly number[], ...order: readonly number[]) => movedPlaces(after(loaded(...shown), HELD, ordered(...order)))
  expect(moved([1, 2, 3], 1, 2, 3)).toBe(0)
  expect(moved([1, 2, 3], 3, 1, 2)).toBe(3)
  expect(moved([1, 2, 3], 1, 4, 3)).toBe(1)
  expect(moved([], 1, 2)).toBe(2)
})

test('a held list stays as it is until it is sorted or let go', () => {
  const held = after(loaded(1, 2, 3), HELD, ordered(3, 2, 4))
  expect(numbersOf(held)).toEqual([1, 2, 3])
  const sorted = after(held, { type: 'sorted' })
  expect([numbersOf(sorted), movedPlaces(sorted)]).toEqual([[3, 2, 4], 0])
  expect(numbersOf(after(held, { type: 'held', isHeld: false }))).toEqual([3, 2, 4])
})

test('rows of further pages stay behind the first one, with those that fell out of it', () => {
  const [first, second, ...others] = page as [number, number, ...number[]]
  const long = after(loaded(...page), more(60, 61))
  expect(numbersOf(after(long, ordered(99, first, ...others)))).toEqual([99, first, ...others, second, 60, 61])
  expect(numbersOf(after(loaded(1, 2, 3), ordered(5, 1)))).toEqual([5, 1])
})

test('a token that moved down between two pages is shown once', () => {
  expect(numbersOf(after(loaded(1, 2), more(2, 3)))).toEqual([1, 2, 3])
})

test('no more rows are shown than the page can hold', () => {
  const full = after(loaded(...page), {
    ...more(...Array.from({ length: MAX_ROWS }, (_, index) => index + 100)),
    cursor: 'next',
  } as ListEvent)
  expect([full.shown.length, hasMore(full)]).toEqual([MAX_ROWS, false])
})

test('rows stay when a request fails, and only a first page that could not be loaded makes the list fail', () => {
  const failed: ListEvent = { type: 'failed', message: 'no answer arrived' }
  const stale = after(loaded(1, 2), failed, failed)
  expect(stale).toMatchObject({ phase: 'ready', failure: 'no answer arrived', failures: 2, shown: addresses(1, 2) })
  expect(after(loaded(1, 2), { type: 'loading' }, failed)).toMatchObject({ phase: 'failed', shown: addresses(1, 2) })
  expect(after(stale, { type: 'refreshed', order: null })).toMatchObject({ failure: null, failures: 0 })
})
