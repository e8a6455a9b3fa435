import { expect, test } from 'vitest'
import { WatchedList } from '#actors/lists/watchedList.ts'

const rows = (...names: readonly string[]) => names.map(name => JSON.stringify([name, 'x'.repeat(200)]))
const first = new WatchedList(1, '10', rows('a', 'b', 'c'), null)
const second = new WatchedList(2, '11', rows('b', 'a', 'c'), first)
const third = new WatchedList(3, '12', rows('b', 'a', 'd'), second)
const sent = ({ kind, fields }: WatchedList) => ({ kind, ...(JSON.parse(`{${fields}}`) as object) })

test('a change replaces an unsent one as the change of what the client was sent', () => {
  expect(sent(second)).toEqual({ kind: '.delta', base: 1, asOfBlock: '11', data: [1, 0, 2] })
  expect(sent(third.replacing(second))).toMatchObject({ kind: '.delta', base: 1, data: [1, 0, ['d', expect.anything()]] })
  expect(sent(third)).toMatchObject({ kind: '.delta', base: 2, data: [0, 1, ['d', expect.anything()]] })
})

test('a client that has nothing gets the whole list, also in place of an unsent one', () => {
  expect(sent(third.whole)).toMatchObject({
    kind: '',
    asOfBlock: '12',
    data: [
      ['b', expect.anything()],
      ['a', expect.anything()],
      ['d', expect.anything()],
    ],
  })
  expect(sent(third.replacing(first))).toEqual(sent(third.whole))
  expect(third.replacing(first).sequence).toBe(3)
})
