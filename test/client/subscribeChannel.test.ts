import { expect, test } from 'vitest'
import type { Carried } from '#client/feed/carried.ts'
import type { ListState } from '#client/generated/types.ts'
import { subscribeChannel } from '#client/live/subscribeChannel.ts'
import { LIST_CELLS } from '#protocol/listCells.ts'
import { addressOf, tokenOf } from '#test/support/snapshots.ts'

const columns = Object.keys(LIST_CELLS)
const cells = (n: number, sequence = n) => Object.values(LIST_CELLS).map(cellOf => cellOf(tokenOf(addressOf(n), sequence)))

test('a list is merged from its changes, and subscribed to again when a change is of another list', () => {
  const subscribers: Carried[] = []
  const dropped: Carried[] = []
  const errors: unknown[] = []
  const lists: (readonly string[])[] = []
  const extension = {
    pool: {
      carry: (carried: Carried) => void subscribers.push(carried),
      drop: (carried: Carried) => void dropped.push(carried),
      isLive: () => true,
    },
    nextKey: () => 'c1',
    onError: (error: unknown) => void errors.push(error),
  }
  const link = subscribeChannel<ListState>(extension, {
    channel: 'list',
    filters: {},
    position: () => ({ delta: true }),
    receive: ({ data }) => lists.push(data.map(({ address }) => address)),
    end: () => undefined,
  })
  const receive = (fields: object) =>
    subscribers.at(-1)?.receive({ type: 'channel', key: 'c1', fields: { id: 'c1', asOfBlock: '1', ...fields } }, 'webSocket')
  receive({ type: 'list', sequence: 1, columns, data: [cells(1), cells(2)] })
  receive({ type: 'list.delta', base: 1, sequence: 2, data: [1, cells(3), 0] })
  expect(lists).toEqual([[1, 2].map(addressOf), [2, 3, 1].map(addressOf)])
  receive({ type: 'list.delta', base: 1, sequence: 3, data: [0] })
  expect(lists).toHaveLength(2)
  expect(errors).toMatchObject([{ code: 'invalid_answer' }])
  expect([dropped.length, subscribers.length]).toEqual([1, 2])
  // A place that the list before does not have is no row.
  receive({ type: 'list', sequence: 1, columns, data: [cells(1)] })
  receive({ type: 'list.delta', base: 1, sequence: 2, data: [5] })
  expect([lists.length, errors.length]).toEqual([3, 2])
  link.close()
  expect(dropped).toHaveLength(2)
})
